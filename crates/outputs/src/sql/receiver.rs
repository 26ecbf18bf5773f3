//! Rows of messages.
//!
//! In: messages. Out: the table of each and the values of its columns. Holds: rendered text between two rows.
//! Limits: an invalid table name, or a value that is not of its template's type, makes a dead letter.

use super::{
    identifier,
    mysql::Mysql,
    options::{ColumnValue, Schema, SqlTarget},
    postgres::Postgres,
    sqlite::Sqlite,
};
use delivery::{Batches, Cell, Connection, Receiver, RowError};
use message::{Batch, Stamp, ValueKind};
use std::sync::Arc;
use transport::{DeadReason, sql::SqlServer};

/// The receiver of `sql()`.
pub struct SqlReceiver {
    target: SqlTarget,
    schema: Arc<Schema>,
    text: Vec<u8>,
}

impl SqlReceiver {
    /// Makes the receiver of a target.
    pub fn new(target: SqlTarget) -> SqlReceiver {
        SqlReceiver { schema: Schema::of(&target), target, text: Vec::new() }
    }
}

impl Receiver for SqlReceiver {
    fn begin(&mut self, now: Stamp) {
        self.target.table.begin(now);
        for column in &mut self.target.columns {
            if let ColumnValue::Template(template, _) = &mut column.value {
                template.begin(now);
            }
        }
    }

    fn row(
        &mut self,
        batch: &Batch,
        index: usize,
        sequence: u64,
        group: &mut String,
    ) -> Result<Vec<Cell>, RowError> {
        self.text.clear();
        self.target.table.render(batch, index, sequence, &mut self.text);
        identifier::table(&self.text, self.target.server.dialect(), group).map_err(RowError::bad_name)?;
        let mut cells = Vec::with_capacity(self.target.columns.len());
        for column in &mut self.target.columns {
            let ColumnValue::Template(template, kind) = &mut column.value else { continue };
            self.text.clear();
            template.render(batch, index, sequence, &mut self.text);
            let is_null = self.target.null.as_ref().is_some_and(|null| null.as_bytes() == self.text);
            let cell = if is_null { Some(Cell::Null) } else { typed(&self.text, *kind) };
            cells.push(cell.ok_or_else(|| RowError {
                reason: DeadReason::Cast,
                text: format!("the value for column {} is no {kind:?}", column.name),
            })?);
        }
        Ok(cells)
    }

    fn connection(&self) -> Box<dyn Connection> {
        match &self.target.server {
            SqlServer::Postgres(login) => Box::new(Postgres::new(login.clone(), self.schema.clone())),
            SqlServer::Mysql(login) => Box::new(Mysql::new(login.clone(), self.schema.clone())),
            SqlServer::Sqlite(_) => Box::new(Sqlite::new(self.schema.clone())),
        }
    }

    fn batches(&self) -> Batches {
        // One connection: messages stay in their order.
        Batches { workers: 1, ..self.target.batches }
    }

    fn instance(&self) -> String {
        let table = self.target.table.constant().unwrap_or("a template");
        format!("{},{table}", self.target.server.name())
    }
}

/// Returns the value of rendered text; `None` when it is not of the type.
fn typed(text: &[u8], kind: ValueKind) -> Option<Cell> {
    let string = || String::from_utf8_lossy(text).into_owned();
    let word = || std::str::from_utf8(text).ok().map(str::trim);
    Some(match kind {
        ValueKind::Integer => Cell::Integer(word()?.parse().ok()?),
        ValueKind::Double => Cell::Double(word()?.parse().ok()?),
        ValueKind::Boolean => match word()?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Cell::Boolean(true),
            "false" | "no" | "off" | "0" => Cell::Boolean(false),
            _ => return None,
        },
        ValueKind::Null => Cell::Null,
        ValueKind::Bytes => Cell::Bytes(text.to_vec()),
        _ => Cell::Text(string()),
    })
}

#[cfg(test)]
mod tests;
