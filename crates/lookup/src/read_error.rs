//! The error of reading documents.
//!
//! In: the file and the offset of the damage. Out: a sentence for users.

use crate::Stop;
use std::{io, path::PathBuf};

/// The reason why documents could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// The file could not be read.
    Io {
        /// Path of the file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The bytes are not those that were written.
    Corrupt {
        /// Path of the file.
        path: PathBuf,
        /// Offset in the file, bytes.
        offset: u64,
        /// The damage, in words.
        what: &'static str,
    },
    /// The file is encrypted and its private key is not loaded.
    Locked {
        /// Path of the file.
        path: PathBuf,
    },
    /// The search was cancelled or ran out of time.
    Stopped(Stop),
}

impl From<Stop> for ReadError {
    fn from(stop: Stop) -> ReadError {
        ReadError::Stopped(stop)
    }
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReadError::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            ReadError::Corrupt { path, offset, what } => {
                write!(f, "{} is damaged at offset {offset}: {what}", path.display())
            }
            ReadError::Locked { path } => {
                write!(f, "{} is locked: its private key is not there", path.display())
            }
            ReadError::Stopped(Stop::Cancelled) => f.write_str("the search was cancelled"),
            ReadError::Stopped(Stop::TimedOut) => f.write_str("the search ran out of time"),
        }
    }
}

impl std::error::Error for ReadError {}

#[cfg(test)]
mod tests {
    //! Rows for the sentences.

    use super::*;

    #[track_caller]
    fn check(error: &ReadError, want: &str) {
        assert_eq!(error.to_string(), want);
    }

    #[test]
    fn says_why_documents_could_not_be_read() {
        let path = || PathBuf::from("/logs/a.seg");
        let source = io::Error::new(io::ErrorKind::NotFound, "no such file");
        check(&ReadError::Io { path: path(), source }, "cannot read /logs/a.seg: no such file");
        check(
            &ReadError::Corrupt { path: path(), offset: 4096, what: "a list is too short" },
            "/logs/a.seg is damaged at offset 4096: a list is too short",
        );
        check(&ReadError::Locked { path: path() }, "/logs/a.seg is locked: its private key is not there");
        check(&Stop::Cancelled.into(), "the search was cancelled");
        check(&Stop::TimedOut.into(), "the search ran out of time");
    }
}
