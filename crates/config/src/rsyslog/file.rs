//! The files of an rsyslog configuration.
//!
//! In: a path. Out: the text of the file.
//! Limits: `FILE_BYTES_MAX` bytes.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::limits::FILE_BYTES_MAX;
use crate::surroundings::Surroundings;

/// A file that cannot be read.
#[derive(Clone, Debug)]
pub enum ReadError {
    /// The system refuses it.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: Arc<io::Error>,
    },
    /// It is longer than a configuration may be.
    TooLarge {
        /// The file.
        path: PathBuf,
    },
}

impl ReadError {
    /// Makes the error of a file that the system refuses.
    pub(super) fn io(path: &Path, source: io::Error) -> ReadError {
        ReadError::Io { path: path.to_path_buf(), source: Arc::new(source) }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Io { path, source } => write!(out, "cannot read `{}`: {source}", path.display()),
            ReadError::TooLarge { path } => {
                write!(out, "`{}` has more than {FILE_BYTES_MAX} bytes", path.display())
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a file. Invalid UTF-8 is replaced.
pub(super) fn text(path: &Path, surroundings: &dyn Surroundings) -> Result<String, ReadError> {
    let bytes = surroundings.read(path).map_err(|error| ReadError::io(path, error))?;
    if bytes.len() > FILE_BYTES_MAX {
        return Err(ReadError::TooLarge { path: path.to_path_buf() });
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
