//! SQLite: a file of this machine.
//!
//! In: rows. Out: a transaction for each request. Holds: the open database, known tables.
//! Limits: a statement waits at most [`BUSY_MOST`] for another writer; [`TABLES_KNOWN_MAX`] tables are remembered.
//! A row is acknowledged when its transaction is committed: with SQLite's default `synchronous=FULL` it is on the device.

use super::{
    options::{Schema, TABLES_KNOWN_MAX, TableMaking},
    statement,
};
use crate::link::failure::Failure;
use delivery::{Cell, Connection, Exchange, HoldReason, Judgement, Row, Verdict, Wait};
use rusqlite::{
    ErrorCode, params_from_iter,
    types::{ToSqlOutput, Value, ValueRef},
};
use std::{collections::HashSet, sync::Arc, time::Duration};
use transport::{DeadReason, sql::SqlServer};

/// How long a statement waits for another writer.
const BUSY_MOST: Duration = Duration::from_millis(250);

/// A connection.
pub(super) struct Sqlite {
    schema: Arc<Schema>,
    open: Option<rusqlite::Connection>,
    tables: HashSet<String>,
}

impl Sqlite {
    pub(super) fn new(schema: Arc<Schema>) -> Sqlite {
        Sqlite { schema, open: None, tables: HashSet::new() }
    }

    fn open(&mut self) -> Result<rusqlite::Connection, Failure> {
        if let Some(open) = self.open.take() {
            return Ok(open);
        }
        self.tables.clear();
        let SqlServer::Sqlite(path) = &self.schema.server else { unreachable!("made for SQLite") };
        let failed = |error: rusqlite::Error| {
            let path = path.display();
            Failure { verdict: Verdict::Later(Wait::Reopen), answer: format!("cannot open {path}: {error}") }
        };
        let open = rusqlite::Connection::open(path).map_err(failed)?;
        open.busy_timeout(BUSY_MOST).map_err(failed)?;
        for statement in &self.schema.session_statements {
            open.execute_batch(statement).map_err(failed)?;
        }
        Ok(open)
    }

    fn write(&mut self, open: &mut rusqlite::Connection, table: &str, rows: &[Row]) -> Result<(), Failure> {
        if !self.tables.contains(table) {
            self.prepare_table(open, table)?;
        }
        let transaction = open.transaction().map_err(|error| failure(&error))?;
        for part in rows.chunks(statement::rows_max(&self.schema)) {
            let text = statement::insert(&self.schema, table, part.len());
            let mut insert = transaction.prepare_cached(&text).map_err(|error| self.forget(table, &error))?;
            let values = part.iter().flat_map(|row| {
                let id = self.schema.unique_column.as_ref().map(|_| Parameter::Id(row.id.to_string()));
                row.cells.iter().map(Parameter::Cell).chain(id)
            });
            insert.execute(params_from_iter(values)).map_err(|error| self.forget(table, &error))?;
        }
        transaction.commit().map_err(|error| failure(&error))
    }

    /// Forgets a table that no longer exists, so that it is checked again.
    fn forget(&self, table: &str, error: &rusqlite::Error) -> Failure {
        let Failure { verdict, answer } = failure(error);
        let is_missing = verdict == Verdict::Hold(HoldReason::Schema);
        let may_come_back =
            is_missing && self.tables.contains(table) && self.schema.tables == TableMaking::Make;
        Failure { verdict: if may_come_back { Verdict::Later(Wait::BackOff) } else { verdict }, answer }
    }

    /// Makes sure that a table has every column.
    fn prepare_table(&mut self, open: &rusqlite::Connection, table: &str) -> Result<(), Failure> {
        let found = columns(open, &self.schema, table);
        let statements = match found {
            Err(error) if self.schema.tables == TableMaking::Leave => return Err(failure(&error)),
            Err(_) => statement::create(&self.schema, table),
            Ok(found) => {
                let missing = |(name, _): &(&str, &str)| !found.contains(&name.to_ascii_lowercase());
                let missing: Vec<(&str, &str)> = self.schema.all_columns().filter(missing).collect();
                if self.schema.tables == TableMaking::Leave && !missing.is_empty() {
                    let answer = format!("table {table} has no column {}", missing[0].0);
                    return Err(Failure { verdict: Verdict::Hold(HoldReason::Schema), answer });
                }
                missing
                    .iter()
                    .flat_map(|(name, kind)| statement::add_column(&self.schema, table, name, kind))
                    .collect()
            }
        };
        for text in statements {
            open.execute_batch(&text).map_err(|error| failure(&error))?;
        }
        if self.tables.len() >= TABLES_KNOWN_MAX {
            self.tables.clear();
        }
        self.tables.insert(table.to_owned());
        Ok(())
    }

    fn exchange(&mut self, table: &str, rows: &[Row]) -> Vec<Judgement> {
        let written = self.open().and_then(|mut open| {
            let written = self.write(&mut open, table, rows);
            self.open = Some(open);
            written
        });
        match written {
            Ok(()) => Judgement::delivered(rows.len()),
            Err(Failure { verdict, answer }) => {
                match verdict {
                    Verdict::Later(Wait::Reopen) => self.close(),
                    Verdict::Later(_) | Verdict::Hold(_) => drop(self.tables.remove(table)),
                    _ => {}
                }
                Judgement::of_all(rows.len(), verdict, answer)
            }
        }
    }
}

impl Connection for Sqlite {
    fn send<'a>(&'a mut self, group: &'a str, rows: &'a [Row]) -> Exchange<'a> {
        Box::pin(async move { self.exchange(group, rows) })
    }

    fn close(&mut self) {
        self.open = None;
        self.tables.clear();
    }
}

/// Returns the columns of a table, in lower case.
fn columns(open: &rusqlite::Connection, schema: &Schema, table: &str) -> rusqlite::Result<HashSet<String>> {
    let mut look = open.prepare(&statement::look(schema, table))?;
    // Only a step notices that another connection has changed the table.
    let mut rows = look.query([])?;
    rows.next()?;
    drop(rows);
    Ok(look.column_names().iter().map(|name| name.to_ascii_lowercase()).collect())
}

/// A value of a statement.
enum Parameter<'a> {
    Cell(&'a Cell),
    Id(String),
}

impl rusqlite::ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Parameter::Id(id) => ToSqlOutput::Borrowed(ValueRef::Text(id.as_bytes())),
            Parameter::Cell(Cell::Default | Cell::Null) => ToSqlOutput::Owned(Value::Null),
            Parameter::Cell(Cell::Integer(number)) => ToSqlOutput::Owned(Value::Integer(*number)),
            Parameter::Cell(Cell::Double(number)) => ToSqlOutput::Owned(Value::Real(*number)),
            Parameter::Cell(Cell::Boolean(truth)) => ToSqlOutput::Owned(Value::Integer(i64::from(*truth))),
            Parameter::Cell(Cell::Text(text)) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Parameter::Cell(Cell::Bytes(bytes)) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
        })
    }
}

/// Returns what an error means for the rows of a request.
fn failure(error: &rusqlite::Error) -> Failure {
    let code = match error {
        // A statement with a mistake whose place is known.
        rusqlite::Error::SqlInputError { error, .. } => Some(error.code),
        _ => error.sqlite_error_code(),
    };
    let verdict = match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::SchemaChanged) => {
            Verdict::Later(Wait::BackOff)
        }
        Some(ErrorCode::ConstraintViolation) => Verdict::Split(DeadReason::Constraint),
        Some(ErrorCode::TypeMismatch) => Verdict::Split(DeadReason::Type),
        Some(ErrorCode::TooBig) => Verdict::Split(DeadReason::TooLarge),
        Some(ErrorCode::DiskFull) => Verdict::Hold(HoldReason::Quota),
        Some(
            ErrorCode::ReadOnly | ErrorCode::AuthorizationForStatementDenied | ErrorCode::PermissionDenied,
        ) => Verdict::Hold(HoldReason::Access),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) => {
            Verdict::Hold(HoldReason::Schema)
        }
        Some(_) | None => Verdict::Later(Wait::Reopen),
    };
    Failure { verdict, answer: error.to_string() }
}

#[cfg(test)]
mod tests;
