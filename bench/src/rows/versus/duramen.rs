//! Duramen, with the same configuration as syslog-ng.

use super::{
    subject::{RunFolder, Subject},
    syslog_ng::{self, Threading},
};
use crate::{process, rows::row::Row};
use std::{io, path::PathBuf, process::Child};

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

    fn start(&self, row: Row, run_folder: &RunFolder) -> io::Result<Child> {
        run_folder.database(row)?;
        run_folder.configuration(&syslog_ng::configuration(row, run_folder, "4.8", Threading::On))?;
        run_folder.spawn(&mut process::duramen(&self.binary, &run_folder.path, "none"))
    }
}
