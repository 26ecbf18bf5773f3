//! The database of rules: what they reported, and which messages they have seen.
//!
//! In: batches of the threads, each in one transaction. Out: the same, for a restart, and for people. Holds: a connection to
//! a SQLite database, opened when it is first needed; it is the conventions of saved objects that apply.
//! Limits: [`TRANSITIONS_KEPT`], [`MARKS_KEPT`]; the size of the database.

mod migrations;
mod model;
mod reads;
mod stopped;
mod writes;

pub(crate) use model::Batch;
pub use model::{
    Alert, AlertFilter, AlertState, Coverage, Gap, GapReason, KeptTransition, Mark, MarkKind, Watched,
};
pub(crate) use reads::Resumed;
pub use reads::{alert_numbered, alert_of, transitions_after};
pub use stopped::StoppedRule;
pub(crate) use writes::{Adoption, RulesById, Windows};

use objects::{OpenError, open_database};
use rusqlite::Connection;
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

/// Path of the database, below the folder of data.
pub const DATABASE: &str = "alerts/alerts.db";
/// Transitions that are kept, of all logspaces; the oldest go first, with alerts that do not fire any more. Half a million
/// take about a third of the largest database.
pub const TRANSITIONS_KEPT: u64 = 500_000;
/// Marks of time that are kept for each logspace, besides those that a restart needs.
const MARKS_KEPT: u64 = 100_000;

/// The database.
pub struct Store {
    path: PathBuf,
    transitions_kept: u64,
    connection: Mutex<Option<Connection>>,
}

/// The reasons why the database does not answer.
#[derive(Debug)]
pub enum StoreError {
    /// It cannot be opened.
    Open(OpenError),
    /// It cannot be read or written.
    Sqlite(rusqlite::Error),
    /// There is no such alert.
    NoAlert,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Open(error) => error.fmt(f),
            StoreError::Sqlite(error) => write!(f, "the database of alerts: {error}"),
            StoreError::NoAlert => f.write_str("there is no such alert"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        StoreError::Sqlite(error)
    }
}

impl Store {
    /// Names the database; it is opened, and made, when it is needed.
    pub fn at(path: &Path) -> Store {
        Store::keeping(path, TRANSITIONS_KEPT)
    }

    /// The same with another limit.
    pub(crate) fn keeping(path: &Path, transitions_kept: u64) -> Store {
        Store { path: path.to_owned(), transitions_kept, connection: Mutex::default() }
    }

    /// Returns true when there is a database already.
    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Returns the folder of the database, which also has the states of the rules.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Lets a function use the connection.
    fn with<T>(&self, act: impl FnOnce(&mut Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let open = match connection.take() {
            Some(open) => open,
            None => open_database(&self.path, migrations::ALL).map_err(StoreError::Open)?,
        };
        act(connection.insert(open))
    }
}
