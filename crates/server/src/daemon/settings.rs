//! The settings of a server from the command line.
//!
//! In: options. Out: settings with paths that do not depend on the current folder. Holds nothing.

use super::console::Levels;
#[cfg(test)]
use std::path::Path;
use std::{
    net::SocketAddr,
    path::{self, PathBuf},
};

/// The settings of the command line.
pub(crate) struct Settings {
    /// The name the program was called by, for its messages.
    pub(crate) name: &'static str,
    /// Configuration.
    pub(crate) config: PathBuf,
    /// Folder of logspaces, users and identity.
    pub(crate) data: PathBuf,
    /// File of read positions.
    pub(crate) positions: PathBuf,
    /// Address of the page and the API.
    pub(crate) http: Option<SocketAddr>,
    /// Control socket.
    pub(crate) control: PathBuf,
    /// File for the process id.
    pub(crate) pidfile: Option<PathBuf>,
    /// True to print the next steps for a new user.
    pub(crate) quickstart: bool,
    /// The levels of our own log.
    pub(crate) levels: Levels,
    /// Threads that read sources; by default one for each core.
    pub(crate) worker_threads: Option<usize>,
    /// True to run a configuration without the parts that cannot run.
    pub(crate) skip_unsupported: bool,
}

impl Settings {
    /// Makes all paths absolute, so that they do not depend on the current folder. Links in archives and
    /// records in the chain of evidence name them.
    pub(super) fn with_absolute_paths(self) -> Settings {
        // An empty path is an error where it is used.
        let whole = |path: PathBuf| path::absolute(&path).unwrap_or(path);
        Settings {
            config: whole(self.config),
            data: whole(self.data),
            positions: whole(self.positions),
            control: whole(self.control),
            pidfile: self.pidfile.map(whole),
            ..self
        }
    }
}

#[cfg(test)]
impl Settings {
    /// Makes settings with all paths below a folder, and with a page at a free port.
    pub(crate) fn below(folder: &Path) -> Settings {
        Settings {
            name: "duramen",
            config: folder.join("conf"),
            data: folder.join("data"),
            positions: folder.join("data/positions"),
            http: Some(SocketAddr::from(([127, 0, 0, 1], 0))),
            control: folder.join("ctl"),
            pidfile: Some(folder.join("pid")),
            quickstart: false,
            levels: Levels::default(),
            worker_threads: Some(1),
            skip_unsupported: false,
        }
    }
}
