//! The reasons why the database cannot be used.

use rusqlite::ErrorCode;
use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// The reasons why the database cannot be used.
#[derive(Debug)]
pub enum OpenError {
    /// The folder or the file cannot be made.
    Io {
        /// The folder or the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is damaged, or not a database.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The finding of SQLite.
        what: String,
    },
    /// A newer program has changed the tables.
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of its tables.
        found: i64,
        /// The newest version that is known here.
        known: i64,
        /// The program that has changed them.
        program: String,
    },
    /// The tables of an older program cannot be changed over. They are as they were.
    Migration {
        /// The file.
        path: PathBuf,
        /// The version that was not reached.
        version: i64,
        /// The finding of SQLite.
        what: String,
    },
    /// SQLite cannot open the file or read it.
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The finding of SQLite.
        what: String,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io { path, source } => write!(f, "cannot use {}: {source}", path.display()),
            OpenError::Damaged { path, what } => write!(
                f,
                "{} is damaged: {what}; stop the server, keep the file, and put a copy in its place",
                path.display()
            ),
            OpenError::Newer { path, found, known, program } => write!(
                f,
                "{} was changed by {program} to version {found} of its tables; this program knows {known}: \
                 run {program}, or put a copy from before in its place",
                path.display()
            ),
            OpenError::Migration { path, version, what } => write!(
                f,
                "the tables of {} cannot be changed to version {version}, and stay as they were: {what}",
                path.display()
            ),
            OpenError::Sqlite { path, what } => write!(f, "cannot open {}: {what}", path.display()),
        }
    }
}

impl std::error::Error for OpenError {}

impl OpenError {
    /// The error of SQLite at a file.
    pub(crate) fn of(path: &Path, error: &rusqlite::Error) -> OpenError {
        let (path, what) = (path.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => OpenError::Damaged { path, what },
            _ => OpenError::Sqlite { path, what },
        }
    }
}
