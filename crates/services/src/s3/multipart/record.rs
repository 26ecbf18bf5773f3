//! The objects that are being made, on disk: which parts the server has, and of which messages.
//!
//! In: changes, each before or after its request. Out: the same after a crash. Holds: a database of SQLite beside the queue. Limits: of
//! messages that alternate between objects about two bytes each; [`RECORD_BYTES_MAX`] of them end the oldest object.
//!
//! Every change is synced before the request that follows it. The page on disk formats describes the tables.

use delivery::SequenceSet;
use rusqlite::{Connection, Error as SqliteError, Transaction, params};
use std::{fmt, fs::OpenOptions, io, os::unix::fs::OpenOptionsExt, path::Path};

/// Name of the file.
pub(super) const FILE: &str = "s3-uploads.sqlite";
/// Bytes of places in the record beyond which the oldest object ends.
pub(super) const RECORD_BYTES_MAX: u64 = 8 << 20;
/// The form of the database.
const VERSION: i64 = 1;
/// The number that settled messages have instead of that of an object.
const SETTLED: i64 = 0;
const SCHEMA: &str = "CREATE TABLE IF NOT EXISTS uploads (id INTEGER PRIMARY KEY, address TEXT NOT NULL, prefix TEXT NOT NULL,
    object TEXT NOT NULL, upload TEXT, began INTEGER NOT NULL, phase INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS parts (object INTEGER NOT NULL, number INTEGER NOT NULL, etag TEXT NOT NULL, checksum TEXT NOT NULL,
    size INTEGER NOT NULL, messages INTEGER NOT NULL, bytes INTEGER NOT NULL, last INTEGER NOT NULL, places BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS parts_of ON parts (object, number);
PRAGMA user_version = 1;";

/// The state of an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// It grows.
    Open,
    /// Its parts are final: it is to be completed.
    Closing,
    /// Its messages are in another object: its parts are to be removed.
    Aborting,
}

impl Phase {
    fn of(number: i64) -> Option<Phase> {
        [Phase::Open, Phase::Closing, Phase::Aborting].into_iter().find(|phase| *phase as i64 == number)
    }
}

/// An object as it is recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RecordedUpload {
    pub(super) id: u64,
    /// The URL of its bucket.
    pub(super) address: String,
    /// The group of its messages.
    pub(super) prefix: String,
    /// Its name.
    pub(super) object: String,
    /// The id of its upload, once the server has given it one.
    pub(super) upload: Option<String>,
    /// When it was begun, in seconds since 1970.
    pub(super) began_s: i64,
    pub(super) phase: Phase,
}

/// A part that the server has; number 0 is an object that is stored by one request.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct UploadedPart {
    pub(super) number: u32,
    pub(super) etag: String,
    /// SHA-256 in Base64; empty if the server was given none.
    pub(super) checksum: String,
    pub(super) size: u64,
    pub(super) messages: u64,
    /// Bytes of their texts.
    pub(super) bytes: u64,
    pub(super) places: SequenceSet,
}

/// The reason why the record is of no use.
#[derive(Debug)]
pub(in crate::s3) enum RecordError {
    /// Its file cannot be made.
    File(io::Error),
    /// It cannot be read or written.
    Database(SqliteError),
    /// A newer version of the server made it.
    Version(i64),
    /// It has what we do not write.
    Damaged,
}

impl From<SqliteError> for RecordError {
    fn from(error: SqliteError) -> RecordError {
        RecordError::Database(error)
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the record of uploads: ")?;
        match self {
            RecordError::File(error) => write!(f, "{error}"),
            RecordError::Database(error) => write!(f, "{error}"),
            RecordError::Version(version) => write!(f, "its version {version} is newer than this server"),
            RecordError::Damaged => f.write_str("it is damaged"),
        }
    }
}

impl From<RecordError> for io::Error {
    fn from(error: RecordError) -> io::Error {
        io::Error::other(error.to_string())
    }
}

/// The database.
pub(super) struct UploadRecord {
    database: Connection,
}

impl UploadRecord {
    /// Opens the record, creating it if missing.
    pub(super) fn open(path: &Path) -> Result<UploadRecord, RecordError> {
        let mut file = OpenOptions::new();
        // Names of objects may tell something of messages.
        file.write(true).create(true).truncate(false).mode(0o600);
        file.open(path).map_err(RecordError::File)?;
        let database = Connection::open(path)?;
        database.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        database.pragma_update(None, "journal_mode", "WAL")?;
        database.pragma_update(None, "synchronous", "FULL")?;
        let version: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version > VERSION {
            return Err(RecordError::Version(version));
        }
        database.execute_batch(SCHEMA)?;
        Ok(UploadRecord { database })
    }

    /// Notes an object before anything is sent for it.
    pub(super) fn begin(&mut self, upload: &RecordedUpload) -> Result<(), RecordError> {
        insert_upload(&self.database, upload)
    }

    /// Notes an object that is about to be stored by one request.
    pub(super) fn begin_whole(
        &mut self,
        upload: &RecordedUpload,
        whole: &UploadedPart,
    ) -> Result<(), RecordError> {
        let change = self.database.transaction()?;
        change.execute("DELETE FROM uploads WHERE id = ?1", params![as_stored(upload.id)])?;
        insert_upload(&change, upload)?;
        insert_part(&change, as_stored(upload.id), whole)?;
        Ok(change.commit()?)
    }

    /// Notes the id that the server gave an upload.
    pub(super) fn created(&mut self, id: u64, upload: &str) -> Result<(), RecordError> {
        self.database
            .execute("UPDATE uploads SET upload = ?2 WHERE id = ?1", params![as_stored(id), upload])?;
        Ok(())
    }

    /// Notes a part that the server has.
    pub(super) fn add_part(&mut self, id: u64, part: &UploadedPart) -> Result<(), RecordError> {
        insert_part(&self.database, as_stored(id), part)
    }

    /// Notes what becomes of an object, before its request is sent.
    pub(super) fn set_phase(&mut self, id: u64, phase: Phase) -> Result<(), RecordError> {
        let change = "UPDATE uploads SET phase = ?2 WHERE id = ?1";
        self.database.execute(change, params![as_stored(id), phase as i64])?;
        Ok(())
    }

    /// Notes that an object is complete: its messages are settled. Forgets those below `cursor`, which nobody reads again.
    pub(super) fn complete(&mut self, id: u64, cursor: u64) -> Result<(), RecordError> {
        let change = self.database.transaction()?;
        change.execute("UPDATE parts SET object = ?2 WHERE object = ?1", params![as_stored(id), SETTLED])?;
        change.execute("DELETE FROM uploads WHERE id = ?1", params![as_stored(id)])?;
        trim(&change, cursor)?;
        Ok(change.commit()?)
    }

    /// Notes messages that were settled without an object of several parts.
    pub(super) fn settle(&mut self, places: &SequenceSet, cursor: u64) -> Result<(), RecordError> {
        if places.is_empty() {
            return Ok(());
        }
        let change = self.database.transaction()?;
        insert_part(&change, SETTLED, &UploadedPart { places: places.clone(), ..UploadedPart::default() })?;
        trim(&change, cursor)?;
        Ok(change.commit()?)
    }

    /// Notes that the messages of an object go to another one. Returns those that were recorded.
    pub(super) fn lose(&mut self, id: u64) -> Result<SequenceSet, RecordError> {
        let change = self.database.transaction()?;
        let places = places(&change, as_stored(id))?;
        change.execute("DELETE FROM parts WHERE object = ?1", params![as_stored(id)])?;
        let phase = Phase::Aborting as i64;
        change.execute("UPDATE uploads SET phase = ?2 WHERE id = ?1", params![as_stored(id), phase])?;
        change.commit()?;
        Ok(places)
    }

    /// Forgets an object that is no more.
    pub(super) fn forget(&mut self, id: u64) -> Result<(), RecordError> {
        self.database.execute("DELETE FROM uploads WHERE id = ?1", params![as_stored(id)])?;
        Ok(())
    }

    /// Returns the parts of an object in their order.
    pub(super) fn parts(&self, id: u64) -> Result<Vec<UploadedPart>, RecordError> {
        let columns = "SELECT number, etag, checksum, size, messages, bytes FROM parts WHERE object = ?1 ORDER BY number";
        let mut find = self.database.prepare_cached(columns)?;
        let part = |row: &rusqlite::Row<'_>| {
            Ok(UploadedPart {
                number: row.get(0)?,
                etag: row.get(1)?,
                checksum: row.get(2)?,
                size: row.get::<_, i64>(3)?.unsigned_abs(),
                messages: row.get::<_, i64>(4)?.unsigned_abs(),
                bytes: row.get::<_, i64>(5)?.unsigned_abs(),
                places: SequenceSet::default(),
            })
        };
        let parts = find.query_map(params![as_stored(id)], part)?.collect::<Result<_, _>>()?;
        Ok(parts)
    }

    /// Returns the messages in the parts of an object that are recorded.
    pub(super) fn places(&self, id: u64) -> Result<SequenceSet, RecordError> {
        places(&self.database, as_stored(id))
    }

    /// Returns the messages that were settled, and are not below the cursor.
    pub(super) fn settled(&self) -> Result<SequenceSet, RecordError> {
        places(&self.database, SETTLED)
    }

    /// Returns all objects, oldest first.
    pub(super) fn uploads(&self) -> Result<Vec<RecordedUpload>, RecordError> {
        let columns = "SELECT id, address, prefix, object, upload, began, phase FROM uploads ORDER BY id";
        let mut find = self.database.prepare(columns)?;
        let mut rows = find.query([])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(RecordedUpload {
                id: row.get::<_, i64>(0)?.unsigned_abs(),
                address: row.get(1)?,
                prefix: row.get(2)?,
                object: row.get(3)?,
                upload: row.get(4)?,
                began_s: row.get(5)?,
                phase: Phase::of(row.get(6)?).ok_or(RecordError::Damaged)?,
            });
        }
        Ok(all)
    }

    /// Returns the bytes that the places of unfinished objects take.
    pub(super) fn places_bytes(&self) -> Result<u64, RecordError> {
        let sum = "SELECT COALESCE(SUM(LENGTH(places)), 0) FROM parts WHERE object <> ?1";
        let bytes: i64 = self.database.query_row(sum, params![SETTLED], |row| row.get(0))?;
        Ok(bytes.unsigned_abs())
    }
}

/// Numbers of objects and places are far below the largest number of the database.
fn as_stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn insert_upload(database: &Connection, upload: &RecordedUpload) -> Result<(), RecordError> {
    let RecordedUpload { id, address, prefix, object, upload, began_s, phase } = upload;
    let row = params![as_stored(*id), address, prefix, object, upload, began_s, *phase as i64];
    database.execute("INSERT INTO uploads VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", row)?;
    Ok(())
}

fn insert_part(database: &Connection, object: i64, part: &UploadedPart) -> Result<(), RecordError> {
    let mut bytes = Vec::new();
    part.places.encode(&mut bytes);
    let (size, messages, text) = (as_stored(part.size), as_stored(part.messages), as_stored(part.bytes));
    let last = as_stored(part.places.end().saturating_sub(1));
    let row = params![object, part.number, part.etag, part.checksum, size, messages, text, last, bytes];
    database.execute("INSERT INTO parts VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", row)?;
    Ok(())
}

fn places(database: &Connection, object: i64) -> Result<SequenceSet, RecordError> {
    let mut find = database.prepare_cached("SELECT places FROM parts WHERE object = ?1")?;
    let mut rows = find.query(params![object])?;
    let mut all = SequenceSet::default();
    while let Some(row) = rows.next()? {
        let bytes: Vec<u8> = row.get(0)?;
        all.extend(&SequenceSet::decode(&bytes).ok_or(RecordError::Damaged)?);
    }
    Ok(all)
}

fn trim(change: &Transaction<'_>, cursor: u64) -> Result<(), RecordError> {
    change
        .execute("DELETE FROM parts WHERE object = ?1 AND last < ?2", params![SETTLED, as_stored(cursor)])?;
    Ok(())
}

#[cfg(test)]
mod tests;
