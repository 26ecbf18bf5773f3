//! The database of objects: SQLite in one file.
//!
//! In: a path. Out: a connection whose tables are those of this program. Holds nothing.
//! What is committed survives a crash and a loss of power: `journal_mode=WAL`, `synchronous=FULL`. There is one writer; a
//! command beside the server waits [`BUSY_MOST`] for it, and the server for the command.
//! Limits: [`DATABASE_BYTES_MAX`]; beyond it changes are refused, as on a full disk.

mod error;
pub(crate) mod migrations;
pub(crate) mod rows;
pub(crate) mod writes;

pub use error::OpenError;

use rusqlite::{Connection, OpenFlags};
use std::{
    fs,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
    time::Duration,
};

/// Largest database: objects of some kilobytes, so hundreds of thousands of versions.
pub const DATABASE_BYTES_MAX: u64 = 1 << 30;
/// Longest wait for another process that writes.
const BUSY_MOST: Duration = Duration::from_secs(5);

/// Opens the database, makes it when there is none, and changes older tables over.
pub(crate) fn open(path: &Path) -> Result<Connection, OpenError> {
    open_with(path, migrations::ALL)
}

/// Opens the database of another crate, whose tables these steps make; a path, the steps in the order of their versions.
pub fn open_with(path: &Path, steps: &[migrations::Migration]) -> Result<Connection, OpenError> {
    make_private(path)?;
    let failed = |error: rusqlite::Error| OpenError::of(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    connection.busy_timeout(BUSY_MOST).map_err(failed)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    connection.pragma_update(None, "trusted_schema", false).map_err(failed)?;
    limit(&connection, DATABASE_BYTES_MAX).map_err(failed)?;
    let check: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(failed)?;
    if check != "ok" {
        return Err(OpenError::Damaged { path: path.to_owned(), what: check });
    }
    migrations::run(&mut connection, path, steps)?;
    Ok(connection)
}

/// Limits the size of the database.
pub(crate) fn limit(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    let page: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    let pages = i64::try_from(bytes).unwrap_or(i64::MAX) / page.max(1);
    // SQLite takes 0 for no change.
    let pages = pages.max(1);
    connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
}

/// Makes folder and file when they are not there; only their owner may read them. SQLite gives its other files the
/// permissions of this one.
fn make_private(path: &Path) -> Result<(), OpenError> {
    let failed = |source| OpenError::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    }
    let made = fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
    made.map(drop).map_err(failed)
}
