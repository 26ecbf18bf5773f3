//! Opens the logspaces of the data folder.
//!
//! In: the options of a logspace. Out: the open logspace. Holds: the data folder, the log that its notices go to.

mod notices;
mod sealing;

use crate::{
    assemble::LogspaceSpec,
    data_folder::layout::{LEDGER, LOGSPACES},
};
use evidence::Ledger;
use logspace::{CommitTurns, Logspace, OpenLogspaceError};
use notices::Reports;
use sealing::SealingError;
use std::{fmt, path::PathBuf, sync::Arc};
use transport::InternalLog;

/// The reasons why a logspace is not opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// Its options cannot be used.
    Sealing { logspace: String, source: SealingError },
    /// Its folder cannot be used.
    Logspace(OpenLogspaceError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Sealing { logspace, source } => write!(f, "logspace {logspace}: {source}"),
            OpenError::Logspace(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OpenError {}

/// Opens logspaces.
#[derive(Clone)]
pub(super) struct Opener {
    data: PathBuf,
    pub(super) log: InternalLog,
    commit_turns: Arc<CommitTurns>,
}

/// Commits at a time: while one waits for the disk, another one is made ready.
const COMMITS_AT_ONCE: usize = 2;

impl Opener {
    /// Creates one for the logspaces of a data folder, which take turns to write to its disk.
    pub(super) fn new(data: PathBuf, log: InternalLog) -> Opener {
        Opener { data, log, commit_turns: Arc::new(CommitTurns::new(COMMITS_AT_ONCE)) }
    }

    /// Returns the folder that has a folder for each logspace.
    pub(super) fn folder(&self) -> PathBuf {
        self.data.join(LOGSPACES)
    }

    /// Opens a logspace, creating it when it is missing.
    pub(super) fn open(&self, spec: &LogspaceSpec) -> Result<Logspace, OpenError> {
        let unusable = |source| OpenError::Sealing { logspace: spec.name.clone(), source };
        let mut options = sealing::options(spec).map_err(unusable)?;
        options.ledger = Some(Ledger::at(&self.data.join(LEDGER)));
        options.commit_turns = Arc::clone(&self.commit_turns);
        let notices = Arc::new(Reports { log: self.log.clone(), name: spec.name.clone() });
        Logspace::open(&self.folder().join(&spec.name), options, notices).map_err(OpenError::Logspace)
    }
}
