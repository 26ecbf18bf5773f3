//! The logspace of a command.
//!
//! In: a name or a directory. Out: the directory, the ledger beside it. Limits: none.

use super::{
    super::{
        author::{now_us, user},
        layout::{LEDGER, LOGSPACES},
    },
    error::VerbError,
};
use clap::Args;
use evidence::{Ledger, LedgerEntry};
use std::path::{Path, PathBuf};

/// The server's data folder.
#[derive(Args, Clone, Debug)]
pub(in crate::data_folder) struct Folder {
    /// The server's data folder
    #[arg(long, default_value = "/var/lib/duramen")]
    data: PathBuf,
}

impl Folder {
    /// Returns the data folder.
    pub(in crate::data_folder) fn path(&self) -> &Path {
        &self.data
    }

    /// Returns the folder that has a folder for each logspace.
    pub(super) fn logspaces(&self) -> PathBuf {
        self.data.join(LOGSPACES)
    }
}

/// A logspace on disk.
#[derive(Args, Debug)]
pub(in crate::data_folder) struct Location {
    /// Name of the logspace, or its directory (a path with a slash)
    logspace: String,
    #[command(flatten)]
    folder: Folder,
}

impl Location {
    /// Makes one from a name or a directory.
    pub(in crate::data_folder) fn new(logspace: &str, folder: &Folder) -> Location {
        Location { logspace: logspace.to_owned(), folder: folder.clone() }
    }

    /// Its name, or its directory.
    pub(in crate::data_folder) fn name(&self) -> &str {
        &self.logspace
    }

    /// Its directory.
    pub(in crate::data_folder) fn dir(&self) -> Result<PathBuf, VerbError> {
        self.dir_of(&self.logspace)
    }

    /// Returns the directory of a logspace: a path as it is, a name inside the data folder.
    pub(super) fn dir_of(&self, logspace: &str) -> Result<PathBuf, VerbError> {
        let dir = match logspace.contains('/') {
            true => PathBuf::from(logspace),
            false => self.folder.logspaces().join(logspace),
        };
        if dir.is_dir() { Ok(dir) } else { Err(VerbError::NoLogspace { dir }) }
    }

    /// Records the user and the action in the ledger, before anything is shown.
    pub(in crate::data_folder) fn record(
        &self,
        action: &'static str,
        question: &str,
        details: serde_json::Value,
    ) -> Result<(), VerbError> {
        let name = match self.logspace.contains('/') {
            true => self.dir()?.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            false => self.logspace.clone(),
        };
        let data = match self.logspace.contains('/') {
            true => self.dir()?,
            false => self.folder.data.clone(),
        };
        let entry = LedgerEntry {
            at_us: now_us(),
            user: user(),
            action,
            logspace: name,
            question: question.to_owned(),
            details,
        };
        let path = data.join(LEDGER);
        Ledger::at(&path).append(&entry).map_err(|source| VerbError::Write { path, source })
    }
}

/// Shortens a path below a directory for printing.
pub(super) fn below<'a>(path: &'a Path, dir: &Path) -> std::path::Display<'a> {
    path.strip_prefix(dir).unwrap_or(path).display()
}

/// Formats a time for printing: UTC.
pub(in crate::data_folder) fn time(us: i64) -> String {
    jiff::Timestamp::from_microsecond(us).map_or_else(|_| us.to_string(), |time| format!("{time:.3}"))
}
