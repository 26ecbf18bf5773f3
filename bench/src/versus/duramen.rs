//! Duramen, with the configuration that syslog-ng gets.

use super::{Place, Subject, syslog_ng};
use crate::rows::Row;
use std::{
    io,
    path::PathBuf,
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
        let config = place.configuration(&syslog_ng::configuration(row, place, "4.8", true))?;
        let state = place.folder.join("state");
        place.spawn(
            Command::new(&self.binary)
                .args(["run", "--http", "none", "--config"])
                .arg(config)
                .arg("--data")
                .arg(&state)
                .arg("--control")
                .arg(state.join("ctl")),
        )
    }
}
