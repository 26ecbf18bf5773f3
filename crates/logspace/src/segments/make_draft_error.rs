//! The reasons why no smaller segment is made of a sealed one.
//!
//! In: what is wrong with the old file or with the new one. Out: a sentence for the operator. Holds nothing.

use lookup::ReadError;
use segment::RecodeError;
use std::{fmt, path::PathBuf};

/// A reason why no smaller segment is made of a sealed one, which is left unchanged.
#[derive(Debug)]
pub enum MakeDraftError {
    /// It was sealed for others than the configuration names now: recoding must not change who may read it.
    OtherRecipients {
        /// The sealed segment.
        path: PathBuf,
    },
    /// The old file cannot be read, or the new one cannot be written.
    Recode(RecodeError),
}

impl MakeDraftError {
    /// Returns true when a key that is not loaded would open the segment.
    pub(crate) fn is_locked(&self) -> bool {
        matches!(self, MakeDraftError::Recode(RecodeError::Read(ReadError::Locked { .. })))
    }
}

impl fmt::Display for MakeDraftError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MakeDraftError::OtherRecipients { path } => {
                write!(f, "{} was sealed for others than the configuration names now", path.display())
            }
            MakeDraftError::Recode(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MakeDraftError {}

impl From<RecodeError> for MakeDraftError {
    fn from(error: RecodeError) -> MakeDraftError {
        MakeDraftError::Recode(error)
    }
}

impl From<ReadError> for MakeDraftError {
    fn from(error: ReadError) -> MakeDraftError {
        MakeDraftError::Recode(error.into())
    }
}
