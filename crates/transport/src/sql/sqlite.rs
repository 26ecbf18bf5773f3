//! Files of SQLite that are read.
//!
//! In: a file, statements. Out: rows. Holds: the open database. A statement runs on the thread that asks: who asks has one that
//! may wait for a disk.
//! Limits: a statement waits at most [`BUSY_MOST`] for another writer; of results those of the statement.

use super::{Dialect, QueryError, QueryFault, RowLimits, Rows, Statement, Value, statement::row_size};
use rusqlite::{Connection, ErrorCode, OpenFlags, types::ValueRef};
use std::{path::Path, time::Duration};

/// How long a statement waits for another writer.
const BUSY_MOST: Duration = Duration::from_millis(250);

/// An open file. It is not created when it is missing.
pub(super) struct Session(Connection);

impl Session {
    pub(super) fn open(path: &Path) -> Result<Session, QueryError> {
        let failed =
            |error: rusqlite::Error| QueryError::lost(format!("cannot open {}: {error}", path.display()));
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = Connection::open_with_flags(path, flags).map_err(failed)?;
        open.busy_timeout(BUSY_MOST).map_err(failed)?;
        Ok(Session(open))
    }

    pub(super) fn execute(&self, text: &str) -> Result<(), QueryError> {
        self.0.execute_batch(text).map_err(|error| failure(&error))
    }

    pub(super) fn query(&self, statement: &Statement<'_>, limits: RowLimits) -> Result<Rows, QueryError> {
        let text = statement.text(Dialect::Sqlite);
        let mut prepared = self.0.prepare(&text).map_err(|error| failure(&error))?;
        let columns: Vec<String> = prepared.column_names().iter().map(|name| (*name).to_owned()).collect();
        let (mut found, mut bytes) = (Rows { columns, ..Rows::default() }, 0);
        let mut rows = prepared.query([]).map_err(|error| failure(&error))?;
        while let Some(row) = rows.next().map_err(|error| failure(&error))? {
            if limits.are_reached(found.rows.len(), bytes) {
                found.is_cut = true;
                break;
            }
            let value = |index| row.get_ref(index).map_or(Value::Null, value);
            let values: Vec<Value> = (0..found.columns.len()).map(value).collect();
            bytes += row_size(&values);
            found.rows.push(values);
        }
        Ok(found)
    }
}

fn value(found: ValueRef<'_>) -> Value {
    match found {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number.into()),
        ValueRef::Real(number) if number.is_finite() => Value::Double(number),
        ValueRef::Real(number) => Value::Text(number.to_string()),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Bytes(text.to_vec()),
        },
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
    }
}

fn failure(error: &rusqlite::Error) -> QueryError {
    let fault = match error.sqlite_error_code() {
        _ if error.to_string().contains("no such table") => QueryFault::NoTable,
        _ if matches!(error, rusqlite::Error::SqlInputError { .. }) => QueryFault::Refused,
        Some(
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::SchemaChanged
            | ErrorCode::Unknown
            | ErrorCode::ReadOnly
            | ErrorCode::ConstraintViolation,
        ) => QueryFault::Refused,
        // The file may have been replaced.
        Some(_) | None => QueryFault::Lost,
    };
    QueryError::new(fault, error)
}
