//! The files of `add-contextual-data()` and `geoip2()`.
//!
//! In: a path. Out: the table that parsers use; a new one when the file has changed. Holds: time and size of the file
//! when it was read last. Limits: a file above [`TABLE_BYTES_MAX`] is refused; after an error the table read before stays.

use pipeline::{
    Definitions,
    parser::{ContextError, ContextReading, ContextTable, Contexts},
};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    string::FromUtf8Error,
    sync::Arc,
    time::SystemTime,
};
use template::geo::GeoDatabase;

/// Largest table: it is held in memory.
const TABLE_BYTES_MAX: u64 = 1 << 30;

/// A table or a database, and the file it comes from.
pub(crate) struct TableFile {
    path: PathBuf,
    content: Content,
    /// Time and size of the file when it was read.
    seen: Option<(SystemTime, u64)>,
}

/// A table that cannot be used.
#[derive(Debug)]
pub(crate) enum ReadTableError {
    Missing,
    Io(io::Error),
    TooLarge {
        size: u64,
    },
    Utf8(FromUtf8Error),
    Contexts(ContextError),
    /// Not a database of addresses, with the reason.
    Addresses(String),
}

impl fmt::Display for ReadTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadTableError::Missing => f.write_str("there is no such file"),
            ReadTableError::Io(error) => error.fmt(f),
            ReadTableError::TooLarge { size } => write!(f, "{size} bytes are more than {TABLE_BYTES_MAX}"),
            ReadTableError::Utf8(error) => error.fmt(f),
            ReadTableError::Contexts(error) => error.fmt(f),
            ReadTableError::Addresses(reason) => f.write_str(reason),
        }
    }
}

/// The kinds of tables, each with the table in use.
enum Content {
    Contexts(ContextFile),
    Geo(Arc<GeoDatabase>),
}

/// A table of contexts and the options for reading it.
pub(crate) struct ContextFile {
    pub(crate) prefix: String,
    pub(crate) ignore_case: bool,
    pub(crate) globs: bool,
    pub(crate) definitions: Definitions,
    pub(crate) contexts: Arc<Contexts>,
}

impl TableFile {
    /// A table of contexts that has not been read yet.
    pub(crate) fn contexts(path: PathBuf, file: ContextFile) -> TableFile {
        TableFile { path, content: Content::Contexts(file), seen: None }
    }

    /// A database of addresses that has not been read yet.
    pub(crate) fn geo(path: PathBuf, database: Arc<GeoDatabase>) -> TableFile {
        TableFile { path, content: Content::Geo(database), seen: None }
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file for the first time.
    pub(crate) fn load(&mut self) -> Result<(), ReadTableError> {
        self.refresh().unwrap_or(Err(ReadTableError::Missing))
    }

    /// Reads the file again when it has changed; `None` if it has not. After an error the table read before stays.
    pub(crate) fn refresh(&mut self) -> Option<Result<(), ReadTableError>> {
        let now = stamp(&self.path);
        if now == self.seen {
            return None;
        }
        self.seen = now;
        Some(self.read())
    }

    fn read(&self) -> Result<(), ReadTableError> {
        let size = fs::metadata(&self.path).map_err(ReadTableError::Io)?.len();
        if size > TABLE_BYTES_MAX {
            return Err(ReadTableError::TooLarge { size });
        }
        let bytes = fs::read(&self.path).map_err(ReadTableError::Io)?;
        match &self.content {
            Content::Contexts(file) => file.read(bytes),
            Content::Geo(database) => {
                database.replace(bytes).map_err(|error| ReadTableError::Addresses(error.to_string()))
            }
        }
    }
}

impl ContextFile {
    fn read(&self, bytes: Vec<u8>) -> Result<(), ReadTableError> {
        let text = String::from_utf8(bytes).map_err(ReadTableError::Utf8)?;
        let reading =
            ContextReading { prefix: &self.prefix, ignore_case: self.ignore_case, globs: self.globs };
        let table =
            ContextTable::parse(&text, reading, &self.definitions).map_err(ReadTableError::Contexts)?;
        self.contexts.replace(table);
        Ok(())
    }
}

fn stamp(path: &Path) -> Option<(SystemTime, u64)> {
    let data = fs::metadata(path).ok()?;
    Some((data.modified().ok()?, data.len()))
}
