//! The errors of this program.

use std::{fmt, io};
use tantivy::TantivyError;

/// The reason why the index cannot be built, or a query cannot be answered.
#[derive(Debug)]
pub(crate) enum Error {
    /// A file cannot be read or written.
    Io(io::Error),
    /// tantivy reports an error.
    Index(TantivyError),
    /// A query is not JSON.
    Json(serde_json::Error),
    /// A query, or the command line, asks for something that is not possible.
    Unanswerable(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => write!(f, "{error}"),
            Error::Index(error) => write!(f, "{error}"),
            Error::Json(error) => write!(f, "{error}"),
            Error::Unanswerable(text) => f.write_str(text),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Io(error)
    }
}

impl From<TantivyError> for Error {
    fn from(error: TantivyError) -> Error {
        Error::Index(error)
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Error {
        Error::Json(error)
    }
}

impl From<&str> for Error {
    fn from(text: &str) -> Error {
        Error::Unanswerable(text.to_owned())
    }
}

/// Result of any step here.
pub(crate) type Result<T> = std::result::Result<T, Error>;
