//! Duramen, with the configuration that syslog-ng gets.

use super::{Place, Subject, syslog_ng};
use crate::rows::Row;
use std::{
    io,
    path::{Path, PathBuf},
    process::{Child, Command},
};

/// The binary under test.
pub(crate) struct Duramen {
    pub(crate) binary: PathBuf,
}

impl Subject for Duramen {
    fn name(&self) -> String {
        "duramen".into()
    }

    fn family(&self) -> &'static str {
        "duramen"
    }

    fn can(&self, _row: Row) -> bool {
        true
    }

    fn start(&self, row: Row, place: &Place) -> io::Result<Child> {
        place.database(row)?;
        place.configuration(&syslog_ng::configuration(row, place, "4.8", true))?;
        place.spawn(&mut command(&self.binary, &place.folder, "none"))
    }
}

/// The server over the `server.conf` of a folder, in which it keeps everything.
pub(crate) fn command(binary: &Path, folder: &Path, http: &str) -> Command {
    let mut command = Command::new(binary);
    command
        .args(["run", "--http", http, "--config"])
        .arg(folder.join("server.conf"))
        .arg("--data")
        .arg(folder.join("data"))
        .arg("--control")
        .arg(folder.join("control"));
    command
}
