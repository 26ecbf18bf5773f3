//! The reasons why a segment cannot be sealed.
//!
//! In: the file and what is wrong with it. Out: a sentence for the operator.

use lookup::ReadError;
use std::{fmt, io, path::PathBuf};

/// A reason why a segment cannot be sealed. Its messages stay in the journal, and sealing is tried again.
#[derive(Debug)]
pub(super) enum SealError {
    /// The file, or the record of it, cannot be made.
    Io { path: PathBuf, source: io::Error },
    /// The file cannot be written.
    Write(segment::SealError),
    /// The file cannot be read back.
    Read(ReadError),
    /// The file holds other messages than those that were written.
    OtherMessages { path: PathBuf },
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SealError::Io { path, source } => write!(f, "cannot make {}: {source}", path.display()),
            SealError::Write(error) => error.fmt(f),
            SealError::Read(error) => error.fmt(f),
            SealError::OtherMessages { path } => {
                write!(f, "{} does not hold what was written", path.display())
            }
        }
    }
}

impl std::error::Error for SealError {}
