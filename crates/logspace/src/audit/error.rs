//! The reasons why a logspace cannot be verified at all.
//!
//! In: an error of the files, or a stop. Out: a sentence.

use lookup::Stop;
use std::io;

/// A reason why a logspace cannot be verified at all.
#[derive(Debug)]
pub enum AuditError {
    /// The directory cannot be read.
    Io(io::Error),
    /// The verification was stopped.
    Stopped(Stop),
}

impl std::fmt::Display for AuditError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AuditError::Io(error) => error.fmt(f),
            AuditError::Stopped(_) => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for AuditError {}

impl From<io::Error> for AuditError {
    fn from(error: io::Error) -> AuditError {
        AuditError::Io(error)
    }
}

impl From<Stop> for AuditError {
    fn from(stop: Stop) -> AuditError {
        AuditError::Stopped(stop)
    }
}
