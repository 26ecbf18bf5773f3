//! The files of pattern databases.
//!
//! In: a path. Out: a database; a new one when the file has changed. A file that cannot be read changes nothing: the
//! last good database stays in use, and the error is reported once for each change.
//! Holds: inode, time and size of the file when it was last read. Limits: those of the loader.

use message::Severity;
use pipeline::{
    Definitions,
    patterndb::{Database, DbParser, FILE_BYTES_MAX, LoadError},
};
use std::{
    fmt, fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};
use transport::InternalLog;

/// The last good database of a parser; it survives a reload.
#[derive(Default)]
pub(crate) struct LastDatabase(Mutex<Option<Arc<Database>>>);

impl LastDatabase {
    fn get(&self) -> Option<Arc<Database>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, database: &Arc<Database>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(database.clone());
    }
}

/// The properties of a file that reveal a change without reading it: a replaced file has another inode.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    inode: u64,
    changed: Option<SystemTime>,
    size: u64,
}

fn stamp(path: &Path) -> Option<FileStamp> {
    let data = fs::metadata(path).ok()?;
    Some(FileStamp { inode: data.ino(), changed: data.modified().ok(), size: data.len() })
}

/// A database and the properties of its file.
pub(crate) struct Loaded {
    pub(crate) database: Arc<Database>,
    stamp: Option<FileStamp>,
    pub(crate) last: Arc<LastDatabase>,
    /// Errors and omissions found while loading.
    pub(crate) warnings: Vec<String>,
}

/// Reads a file; if that fails, returns the last good database, or an empty one.
pub(crate) fn load(path: &Path, prefix: &str, around: &Definitions, last: Arc<LastDatabase>) -> Loaded {
    let stamp = stamp(path);
    let (database, warnings) = match read(path, prefix, around) {
        Ok(database) => {
            let database = Arc::new(database);
            last.set(&database);
            let warnings = warnings(path, &database);
            (database, warnings)
        }
        Err(error) => (last.get().unwrap_or_else(empty), vec![error.to_string()]),
    };
    Loaded { database, stamp, last, warnings }
}

/// A database that classifies nothing.
pub(crate) fn empty() -> Arc<Database> {
    Arc::new(Database::empty())
}

fn warnings(path: &Path, database: &Database) -> Vec<String> {
    let line = |finding: &pipeline::patterndb::Finding| {
        format!("{}:{}:{}: {}", path.display(), finding.line, finding.column, finding.reason)
    };
    database.findings.iter().map(line).collect()
}

/// A pattern database that cannot be used.
#[derive(Debug)]
pub(crate) enum ReadDatabaseError {
    TooLarge { path: PathBuf },
    Io { path: PathBuf, source: io::Error },
    Load { path: PathBuf, error: LoadError },
}

impl fmt::Display for ReadDatabaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadDatabaseError::TooLarge { path } => {
                write!(f, "{} is larger than {FILE_BYTES_MAX} bytes", path.display())
            }
            ReadDatabaseError::Io { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            ReadDatabaseError::Load { path, error } => write!(f, "{}:{error}", path.display()),
        }
    }
}

/// Reads and loads a file.
pub(crate) fn read(path: &Path, prefix: &str, around: &Definitions) -> Result<Database, ReadDatabaseError> {
    let path_of = || path.to_owned();
    let size = fs::metadata(path).map(|data| data.len());
    if size.as_ref().is_ok_and(|size| *size > FILE_BYTES_MAX as u64) {
        return Err(ReadDatabaseError::TooLarge { path: path_of() });
    }
    let text = fs::read(path).map_err(|source| ReadDatabaseError::Io { path: path_of(), source })?;
    Database::load(&text, prefix, around).map_err(|error| ReadDatabaseError::Load { path: path_of(), error })
}

/// The file of one parser's database, checked for changes.
pub(crate) struct WatchedDatabase {
    path: PathBuf,
    prefix: String,
    stamp: Option<FileStamp>,
    parser: Arc<DbParser>,
    last: Arc<LastDatabase>,
    definitions: Arc<Definitions>,
}

impl WatchedDatabase {
    pub(crate) fn new(
        path: PathBuf,
        prefix: String,
        loaded: &Loaded,
        parser: Arc<DbParser>,
    ) -> WatchedDatabase {
        let Loaded { stamp, last, .. } = loaded;
        WatchedDatabase {
            path,
            prefix,
            stamp: *stamp,
            parser,
            last: last.clone(),
            definitions: Arc::default(),
        }
    }

    /// Adds the templates and filters that the database may use.
    pub(crate) fn with(self, definitions: Arc<Definitions>) -> WatchedDatabase {
        WatchedDatabase { definitions, ..self }
    }

    /// Reads the file again if it has changed.
    pub(crate) fn refresh(&mut self, log: &InternalLog) {
        let now = stamp(&self.path);
        if now.is_none() || now == self.stamp {
            return;
        }
        self.stamp = now;
        let path = self.path.display();
        match read(&self.path, &self.prefix, &self.definitions) {
            Ok(database) => {
                for warning in warnings(&self.path, &database) {
                    log.write(Severity::WARNING, &warning);
                }
                let (version, date) = (&database.version, &database.pub_date);
                log.write(
                    Severity::NOTICE,
                    &format!(
                        "Log pattern database reloaded; file='{path}', version='{version}', pub_date='{date}'"
                    ),
                );
                let database = Arc::new(database);
                self.last.set(&database);
                self.parser.replace(database);
            }
            Err(error) => log.write(
                Severity::ERROR,
                &format!(
                    "Error reloading pattern database, keeping the old one; file='{path}', error='{error}'"
                ),
            ),
        }
    }
}

#[cfg(test)]
mod tests;
