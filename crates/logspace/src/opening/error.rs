//! The reasons why a logspace cannot be opened.
//!
//! In: the file and what is wrong with it. Out: a sentence with the remedy.

use crate::evidence_log::OpenEvidenceError;
use std::{io, path::PathBuf};

/// A reason why a logspace cannot be opened.
#[derive(Debug)]
pub enum OpenLogspaceError {
    /// A file or directory cannot be used.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The journal cannot be opened.
    Journal(journal::OpenError),
    /// The journal cannot be read.
    Replay(journal::ReadError),
    /// The evidence cannot be opened.
    Evidence(OpenEvidenceError),
    /// A newer version of the program wrote a file.
    Newer {
        /// Which.
        path: PathBuf,
    },
}

impl std::fmt::Display for OpenLogspaceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenLogspaceError::Io { path, source } => {
                write!(f, "cannot open logspace {}: {source}", path.display())
            }
            OpenLogspaceError::Journal(error) => error.fmt(f),
            OpenLogspaceError::Replay(error) => error.fmt(f),
            OpenLogspaceError::Evidence(error) => error.fmt(f),
            OpenLogspaceError::Newer { path } => {
                let path = path.display();
                write!(
                    f,
                    "{path} was written by a newer version of duramen: nothing is changed; start that version"
                )
            }
        }
    }
}

impl std::error::Error for OpenLogspaceError {}
