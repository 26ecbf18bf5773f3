//! The reasons why a configuration cannot be applied.
//!
//! In: the system's refusals. Out: one sentence with object and cause. Holds: nothing. Limits: none.

use crate::tls::TlsError;
use std::{fmt, io};

/// A source or destination that cannot start. Nothing was changed.
#[derive(Debug)]
pub enum StageError {
    /// Two drivers have one id.
    Twice {
        /// The id.
        id: String,
    },
    /// No thread can be started.
    Thread {
        /// The owner of the thread.
        id: String,
        /// The system's reason.
        source: io::Error,
    },
    /// Certificates or keys cannot be used.
    Tls {
        /// The driver.
        id: String,
        /// The error of certificate or key.
        source: TlsError,
    },
    /// A listener cannot listen, a file of positions cannot be read, ...
    Open {
        /// The driver.
        id: String,
        /// Name of the thing to open, for the error message.
        what: String,
        /// The system's reason.
        source: io::Error,
    },
}

impl fmt::Display for StageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StageError::Twice { id } => write!(f, "cannot start {id}: two drivers have this id"),
            StageError::Thread { id, source } => write!(f, "cannot start a thread for {id}: {source}"),
            StageError::Tls { id, source } => write!(f, "cannot use the tls() of {id}: {source}"),
            StageError::Open { id, what, source } => write!(f, "cannot open {what} for {id}: {source}"),
        }
    }
}

impl std::error::Error for StageError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StageError::Twice { .. } => None,
            StageError::Tls { source, .. } => Some(source),
            StageError::Thread { source, .. } | StageError::Open { source, .. } => Some(source),
        }
    }
}

#[cfg(test)]
mod tests;
