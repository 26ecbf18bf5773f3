//! The tables, and the steps from those of earlier versions.
//!
//! In: a connection. Out: the newest tables. Holds nothing. Steps have numbers and only go forward: a released step never
//! changes. Before the first step of an existing database a copy is written beside it; the [`COPIES_KEPT`] newest are kept.
//! All steps are one transaction: after a crash or a failure the tables are the old ones.
//! The statements are common to SQLite and PostgreSQL; texts in JSON are filtered by us.

use super::error::OpenError;
use rusqlite::{Connection, TransactionBehavior, params};
use std::{
    fs,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

/// Copies from before migrations that are kept.
const COPIES_KEPT: usize = 3;

/// One step.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// The version that it makes, from 1.
    pub version: i64,
    /// Its statements.
    pub statements: &'static str,
}

/// All steps.
pub(crate) const ALL: &[Migration] =
    &[Migration { version: 1, statements: VERSION_1 }, Migration { version: 2, statements: VERSION_2 }];

/// From here on the owner of an object and its people are ids of accounts. The names of before are the ids of the accounts
/// that had them, so no row changes; but a program that knows only names must not read ids.
const VERSION_2: &str = "";

const VERSION_1: &str = "
CREATE TABLE object (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    owner TEXT NOT NULL,
    revision BIGINT NOT NULL,
    created_us BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    deleted_us BIGINT
);
CREATE UNIQUE INDEX object_name ON object (owner, kind, folder, name) WHERE deleted_us IS NULL;
CREATE INDEX object_deleted ON object (deleted_us) WHERE deleted_us IS NOT NULL;
CREATE TABLE object_version (
    object_id TEXT NOT NULL REFERENCES object (id) ON DELETE CASCADE,
    revision BIGINT NOT NULL,
    action TEXT NOT NULL,
    folder TEXT NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    tags TEXT NOT NULL,
    summary TEXT NOT NULL,
    spec TEXT NOT NULL,
    spec_version BIGINT NOT NULL,
    changed_us BIGINT NOT NULL,
    changed_by TEXT NOT NULL,
    remark TEXT NOT NULL,
    PRIMARY KEY (object_id, revision)
);
CREATE TABLE acl (
    object_id TEXT NOT NULL REFERENCES object (id) ON DELETE CASCADE,
    principal TEXT NOT NULL,
    level BIGINT NOT NULL,
    PRIMARY KEY (object_id, principal)
);
CREATE INDEX acl_principal ON acl (principal);
";

/// Brings the tables to the newest version.
pub(crate) fn run(connection: &mut Connection, path: &Path, steps: &[Migration]) -> Result<(), OpenError> {
    let failed = |error: rusqlite::Error| OpenError::of(path, &error);
    let newest = steps.last().map_or(0, |step| step.version);
    let (found, program) = present(connection).map_err(failed)?;
    if found > newest {
        return Err(OpenError::Newer { path: path.to_owned(), found, known: newest, program });
    }
    if found == newest {
        return Ok(());
    }
    if found > 0 {
        copy(connection, path, found)?;
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have been faster.
    let (found, _) = present(&transaction).map_err(failed)?;
    for step in steps.iter().filter(|step| step.version > found) {
        let done = transaction.execute_batch(step.statements).and_then(|()| note(&transaction, step));
        done.map_err(|error| OpenError::Migration {
            path: path.to_owned(),
            version: step.version,
            what: error.to_string(),
        })?;
    }
    transaction.commit().map_err(failed)
}

/// Returns the version of the tables, and the program that made them; 0 without tables.
fn present(connection: &Connection) -> rusqlite::Result<(i64, String)> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS schema_version
             (version BIGINT PRIMARY KEY, applied_us BIGINT NOT NULL, program TEXT NOT NULL)",
    )?;
    let newest = "SELECT version, program FROM schema_version ORDER BY version DESC LIMIT 1";
    let found = connection.query_row(newest, [], |row| Ok((row.get(0)?, row.get(1)?)));
    match found {
        Err(rusqlite::Error::QueryReturnedNoRows) => Ok((0, String::new())),
        found => found,
    }
}

/// Writes down that a step was done.
fn note(connection: &Connection, step: &Migration) -> rusqlite::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now_us = now.map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX));
    let program = format!("duramen {}", env!("CARGO_PKG_VERSION"));
    let insert = "INSERT INTO schema_version (version, applied_us, program) VALUES ($1, $2, $3)";
    connection.execute(insert, params![step.version, now_us, program]).map(|_| ())
}

/// Returns the path of the copy from before a version was left.
fn copy_path(path: &Path, version: i64) -> PathBuf {
    path.with_extension(format!("version-{version}.db"))
}

/// Copies the database beside it, and removes older copies.
fn copy(connection: &Connection, path: &Path, version: i64) -> Result<(), OpenError> {
    let copy = copy_path(path, version);
    let failed = |source| OpenError::Io { path: copy.clone(), source };
    // SQLite writes into a file that is empty; made here, only its owner may read it.
    let mut fresh = fs::OpenOptions::new();
    fresh.write(true).create(true).truncate(true).mode(0o600).open(&copy).map_err(failed)?;
    let into = copy.to_string_lossy().into_owned();
    let written = connection.execute("VACUUM INTO $1", [into]);
    if let Err(error) = written {
        // Half a copy is worse than none.
        let _ = fs::remove_file(&copy);
        return Err(OpenError::of(path, &error));
    }
    fs::File::open(&copy).and_then(|file| file.sync_all()).map_err(failed)?;
    let older = (0..version).rev().map(|version| copy_path(path, version)).filter(|copy| copy.exists());
    for old in older.skip(COPIES_KEPT - 1) {
        fs::remove_file(&old).map_err(|source| OpenError::Io { path: old.clone(), source })?;
    }
    Ok(())
}
