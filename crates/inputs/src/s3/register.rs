//! What was read, on disk: one row for each object of the bucket, and one for each that is being read.
//!
//! In: objects that are acknowledged to their end, or up to an offset. Out: which objects are known, and where to continue. Holds: a
//! database of SQLite. Limits: [`OBJECTS_MAX`] objects, of about 40 bytes each; none of them is in memory.
//!
//! An object is known by a digest of its name, its ETag and its size, so one that was replaced is another. Objects that have not been in
//! the last [`ROUNDS_KEPT`] complete lists are forgotten. A commit is written to the file at once and synced later: it is safe when
//! this process is killed, and when the power fails the database is as it was a little earlier, so that some objects are read again.

use super::content::Form;
use aws_lc_rs::digest::{Context, SHA256};
use rusqlite::{Connection, Error as SqliteError, OptionalExtension, params};
use services::ListedObject;
use std::{collections::HashMap, fmt, io, path::Path};

/// Most objects that are known: 2 GB of disk.
const OBJECTS_MAX: u64 = 50_000_000;
/// Complete lists after which the mark of an object is renewed: each renewal is a write.
const RENEWED_AFTER: i64 = 16;
/// Complete lists without an object after which it is forgotten.
const ROUNDS_KEPT: i64 = 48;
/// The form of the database.
const VERSION: i64 = 1;
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS known (object BLOB PRIMARY KEY, round INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS reading (object BLOB PRIMARY KEY, offset INTEGER NOT NULL, plain INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rounds (id INTEGER PRIMARY KEY CHECK (id = 1), complete INTEGER NOT NULL);
INSERT OR IGNORE INTO rounds VALUES (1, 0);
PRAGMA user_version = 1;";

/// The identity of an object and its content.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct ObjectId([u8; 16]);

impl ObjectId {
    pub(super) fn of(object: &ListedObject) -> ObjectId {
        let mut context = Context::new(&SHA256);
        for text in [&object.key, &object.etag] {
            context.update(&(text.len() as u64).to_le_bytes());
            context.update(text.as_bytes());
        }
        context.update(&object.size.to_le_bytes());
        let mut id = [0; 16];
        id.copy_from_slice(&context.finish().as_ref()[..16]);
        ObjectId(id)
    }
}

/// How far an object was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ObjectPosition {
    /// Bytes of its text.
    pub(super) offset: u64,
    /// Its form, when that is known to be plain: then it can be read from there on.
    pub(super) form: Option<Form>,
}

impl ObjectPosition {
    /// The beginning of an object of which nothing is known.
    pub(super) const START: ObjectPosition = ObjectPosition { offset: 0, form: None };
}

/// The changes that acknowledgements bring.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Objects up to an offset.
    pub(super) positions: HashMap<ObjectId, ObjectPosition>,
    /// Objects to their end.
    pub(super) done: Vec<ObjectId>,
    /// Objects that do not exist any more.
    pub(super) gone: Vec<ObjectId>,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.positions.is_empty() && self.done.is_empty() && self.gone.is_empty()
    }
}

/// The reason why the database is of no use.
#[derive(Debug)]
pub(super) enum RegisterError {
    /// Its file cannot be made.
    File(io::Error),
    /// It cannot be read or written.
    Database(SqliteError),
    /// A newer version of the server made it.
    Version(i64),
    /// The bucket has too many objects.
    Full,
}

impl From<SqliteError> for RegisterError {
    fn from(error: SqliteError) -> RegisterError {
        RegisterError::Database(error)
    }
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterError::File(error) => write!(f, "the record of what was read: {error}"),
            RegisterError::Database(error) => write!(f, "the record of what was read: {error}"),
            RegisterError::Version(version) => {
                write!(
                    f,
                    "the record of what was read has version {version}, which is newer than this server"
                )
            }
            RegisterError::Full => write!(f, "more than {OBJECTS_MAX} objects cannot be kept in mind"),
        }
    }
}

/// The database of what was read.
pub(super) struct Register {
    database: Connection,
    /// Complete lists so far.
    round: i64,
    objects: u64,
}

impl Register {
    /// Opens the file, which must exist; without a path what was read is known as long as the source runs.
    pub(super) fn open(path: Option<&Path>) -> Result<Register, RegisterError> {
        let database = match path {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        // Another source with the same name would read everything twice; it is refused here.
        database.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        database.pragma_update(None, "journal_mode", "WAL")?;
        database.pragma_update(None, "synchronous", "NORMAL")?;
        let version: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version > VERSION {
            return Err(RegisterError::Version(version));
        }
        database.execute_batch(SCHEMA)?;
        let round = database.query_row("SELECT complete FROM rounds", [], |row| row.get(0))?;
        let objects: i64 = database.query_row("SELECT COUNT(*) FROM known", [], |row| row.get(0))?;
        Ok(Register { database, round, objects: objects.unsigned_abs() })
    }

    /// Returns whether no list was complete yet: everything that is there was there before us.
    pub(super) fn is_first_round(&self) -> bool {
        self.round == 0
    }

    /// Returns whether an object was read; notes that it is still there.
    pub(super) fn is_known(&self, id: ObjectId) -> Result<bool, RegisterError> {
        let mut find = self.database.prepare_cached("SELECT round FROM known WHERE object = ?1")?;
        let round: Option<i64> = find.query_row(params![id.0], |row| row.get(0)).optional()?;
        let Some(round) = round else { return Ok(false) };
        if self.round - round >= RENEWED_AFTER {
            let mut renew = self.database.prepare_cached("UPDATE known SET round = ?2 WHERE object = ?1")?;
            renew.execute(params![id.0, self.round])?;
        }
        Ok(true)
    }

    /// Returns where an object continues.
    pub(super) fn position(&self, id: ObjectId) -> Result<ObjectPosition, RegisterError> {
        let mut find = self.database.prepare_cached("SELECT offset, plain FROM reading WHERE object = ?1")?;
        let found = find.query_row(params![id.0], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, bool>(1)?)));
        Ok(found.optional()?.map_or(ObjectPosition::START, |(offset, is_plain)| ObjectPosition {
            offset: offset.unsigned_abs(),
            form: is_plain.then_some(Form::Plain),
        }))
    }

    /// Calls `look` with everything that it asks for, and the renewals, in one transaction.
    pub(super) fn look<T>(
        &mut self,
        look: impl FnOnce(&Register) -> Result<T, RegisterError>,
    ) -> Result<T, RegisterError> {
        self.database.execute_batch("BEGIN")?;
        let found = look(self);
        self.end(found)
    }

    /// Saves what was acknowledged: all of it or nothing.
    pub(super) fn commit(&mut self, changes: &Changes) -> Result<(), RegisterError> {
        if self.objects + changes.done.len() as u64 > OBJECTS_MAX {
            return Err(RegisterError::Full);
        }
        self.database.execute_batch("BEGIN IMMEDIATE")?;
        let written = self.write(changes);
        let added = self.end(written)?;
        self.objects += added;
        Ok(())
    }

    fn write(&self, changes: &Changes) -> Result<u64, RegisterError> {
        let database = &self.database;
        let mut place = database.prepare_cached("INSERT OR REPLACE INTO reading VALUES (?1, ?2, ?3)")?;
        for (id, position) in &changes.positions {
            let offset = i64::try_from(position.offset).unwrap_or(i64::MAX);
            place.execute(params![id.0, offset, position.form == Some(Form::Plain)])?;
        }
        let mut forget = database.prepare_cached("DELETE FROM reading WHERE object = ?1")?;
        let mut add = database.prepare_cached("INSERT OR IGNORE INTO known VALUES (?1, ?2)")?;
        let mut added = 0;
        for id in &changes.done {
            added += add.execute(params![id.0, self.round])? as u64;
            forget.execute(params![id.0])?;
        }
        for id in &changes.gone {
            forget.execute(params![id.0])?;
        }
        Ok(added)
    }

    /// Notes that a list was complete, and forgets objects that are long gone.
    pub(super) fn end_round(&mut self) -> Result<(), RegisterError> {
        let round = self.round + 1;
        self.database.execute("UPDATE rounds SET complete = ?1", params![round])?;
        self.round = round;
        if round % RENEWED_AFTER == 0 {
            let oldest = round - ROUNDS_KEPT;
            let gone = self.database.execute("DELETE FROM known WHERE round < ?1", params![oldest])?;
            self.objects = self.objects.saturating_sub(gone as u64);
        }
        Ok(())
    }

    /// Ends a transaction.
    fn end<T>(&self, done: Result<T, RegisterError>) -> Result<T, RegisterError> {
        let ended = match done {
            Ok(_) => self.database.execute_batch("COMMIT"),
            Err(_) => self.database.execute_batch("ROLLBACK"),
        };
        if ended.is_err() && !self.database.is_autocommit() {
            // Otherwise nothing could begin any more. There is no other way out, so a second error says nothing new.
            let _ = self.database.execute_batch("ROLLBACK");
        }
        let value = done?;
        ended?;
        Ok(value)
    }
}

#[cfg(test)]
#[path = "tests/register.rs"]
mod tests;
