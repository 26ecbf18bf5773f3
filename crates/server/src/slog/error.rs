//! The reasons why a log is not sealed or verified.
//!
//! In: failures of files, keys and the system. Out: a sentence for the user. Holds nothing.

use std::{fmt, io, path::PathBuf};

/// The reason why a log is not sealed or verified.
#[derive(Debug)]
pub(crate) enum SlogError {
    /// A file cannot be read.
    Read { path: PathBuf, source: io::Error },
    /// A file cannot be written.
    Write { path: PathBuf, source: io::Error },
    /// The files of a log, or the log itself, cannot be brought to one state.
    Io(io::Error),
    /// A file that must not be there yet.
    Exists { path: PathBuf },
    /// A file is no key file.
    NoKey { path: PathBuf },
    /// A file is no MAC of a log.
    NoMac { path: PathBuf },
    /// A key is not the first one of its host.
    NotFirst {
        path: PathBuf,
        /// Lines that were encrypted before it.
        lines: u64,
    },
    /// A key is in use with another MAC file.
    OtherMac { key_file: PathBuf },
    /// A line arrived before its key was read.
    Unloaded,
    /// The system has no random numbers.
    Randomness,
    /// A line is longer than AES-GCM encrypts.
    TooLong,
}

impl fmt::Display for SlogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SlogError::Read { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            SlogError::Write { path, source } => write!(f, "cannot write {}: {source}", path.display()),
            SlogError::Io(error) => error.fmt(f),
            SlogError::Exists { path } => write!(f, "{} is there already", path.display()),
            SlogError::NoKey { path } => write!(f, "{} is no key file of secure logging", path.display()),
            SlogError::NoMac { path } => write!(f, "{} is no MAC of a log", path.display()),
            SlogError::NotFirst { path, lines } => {
                write!(f, "{} is not the host's first key: it is that of line {lines}", path.display())
            }
            SlogError::OtherMac { key_file } => {
                write!(f, "{} is used with another MAC file already", key_file.display())
            }
            SlogError::Unloaded => f.write_str("the key was not read"),
            SlogError::Randomness => f.write_str("the system has no randomness"),
            SlogError::TooLong => f.write_str("a line is too long to be encrypted"),
        }
    }
}

impl std::error::Error for SlogError {}

impl From<io::Error> for SlogError {
    fn from(error: io::Error) -> SlogError {
        SlogError::Io(error)
    }
}
