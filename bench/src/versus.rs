//! Who is measured: us, the rivals, and the floor.
//!
//! In: a row and a place. Out: a running process. Each rival is set up as its own documents advise for speed.

pub(crate) mod copy;
pub(crate) mod duramen;
mod rsyslog;
mod syslog_ng;

use crate::{database, rows::Row};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

/// The ports and the folder of a subject.
pub(crate) struct Place {
    /// The port to listen on.
    pub(crate) port: u16,
    /// The port that a relay sends to.
    pub(crate) next_port: u16,
    /// Its folder; lines go to files in `out`, everything else is its own.
    pub(crate) folder: PathBuf,
}

impl Place {
    /// Path of an output file.
    fn output(&self, name: &str) -> String {
        self.folder.join("out").join(name).display().to_string()
    }

    /// Writes a configuration; its path.
    fn configuration(&self, text: &str) -> io::Result<PathBuf> {
        let path = self.folder.join("server.conf");
        fs::write(&path, text)?;
        Ok(path)
    }

    /// Writes the pattern database of the row that has one.
    fn database(&self, row: Row) -> io::Result<()> {
        match row {
            Row::Patterndb => fs::write(self.folder.join("patterns.xml"), database::xml()),
            _ => Ok(()),
        }
    }

    /// Starts a command with its words kept in a file.
    fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        let log = File::create(self.folder.join("words"))?;
        let program = command.get_program().to_string_lossy().into_owned();
        command
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .current_dir(&self.folder)
            .spawn()
            .map_err(|error| {
                io::Error::new(
                    error.kind(),
                    format!("cannot start {program}: {error}; run tools/install.sh bench"),
                )
            })
    }
}

/// A program that takes messages and writes files.
pub(crate) trait Subject {
    /// Name in tables, its variant included.
    fn name(&self) -> String;
    /// Name of the program.
    fn family(&self) -> &'static str;
    /// Returns true when the subject can run the row.
    fn can(&self, row: Row) -> bool;
    /// Starts it.
    fn start(&self, row: Row, place: &Place) -> io::Result<Child>;
}

/// All subjects: ours first, the floor last.
pub(crate) fn all(duramen: &Path) -> Vec<Box<dyn Subject>> {
    vec![
        Box::new(duramen::Duramen { binary: duramen.to_owned() }),
        Box::new(rsyslog::Rsyslog { direct: false }),
        Box::new(rsyslog::Rsyslog { direct: true }),
        Box::new(syslog_ng::SyslogNg { threaded: true }),
        Box::new(syslog_ng::SyslogNg { threaded: false }),
        Box::new(copy::Copy),
    ]
}

/// A regular expression inside double quotes of syslog-ng's language.
fn quoted(expression: &str) -> String {
    expression.replace('\\', "\\\\").replace('"', "\\\"")
}
