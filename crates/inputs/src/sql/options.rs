//! The options of `sql()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the reader. Holds: nothing that runs.
//! Limits: none.

use std::time::Duration;
use transport::sql::SqlServer;

/// `read-old-records()`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OldRows {
    /// The first start reads the table from its beginning.
    Read,
    /// It begins with the rows that come later.
    Skipped,
}

/// `fast-follow-mode()`
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pace {
    /// Queries follow each other until nothing new is found.
    Fast,
    /// There is a pause after each.
    Steady,
}

/// The columns that set fields of a message.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct RowColumns {
    /// `uid-column()`: it orders the rows.
    pub uid: String,
    /// `message-column()`: the text; without it that is the row as JSON.
    pub message: Option<String>,
    /// `host-column()`
    pub host: Option<String>,
    /// `program-column()`
    pub program: Option<String>,
    /// `datetime-column()`
    pub time: Option<String>,
}

/// `sql()` as a source.
#[derive(Clone, Debug)]
pub struct SqlSource {
    /// The database.
    pub server: SqlServer,
    /// `table()`, with its name in the database.
    pub table: Option<String>,
    /// The columns that mean something.
    pub columns: RowColumns,
    /// `prefix()`: put before the names of columns.
    pub prefix: String,
    /// `connect-query()`: executed after each connect.
    pub connect_query: Option<String>,
    /// `fetch-query()`: returns rows in the order of the column, behind `$last_read_uid`.
    pub fetch_query: Option<String>,
    /// `table-init-query()`: returns the last value of the column.
    pub init_query: Option<String>,
    /// `archive-query()`: executed when the rows up to `$last_read_uid` are acknowledged.
    pub archive_query: Option<String>,
    /// `follow-freq()`
    pub follow_every: Duration,
    /// Pauses between queries.
    pub pace: Pace,
    /// The fate of the rows that are there at a first start.
    pub old: OldRows,
    /// `log-fetch-limit()`: most rows of a query.
    pub rows_max: usize,
    /// `timeout()`: longest wait for a query.
    pub timeout: Duration,
    /// `time-reopen()`: longest pause between two tries to connect.
    pub reopen_after: Duration,
    /// `persist-name()`: the name of the position.
    pub persist_name: Option<String>,
}

impl SqlSource {
    /// Names what is read.
    pub(super) fn name(&self) -> String {
        format!("{},{}", self.server.name(), self.table.as_deref().unwrap_or("fetch-query"))
    }

    /// Returns the name of the position.
    pub(super) fn position_name(&self) -> String {
        match &self.persist_name {
            Some(name) => format!("sql {name}"),
            None => format!("sql {},{}", self.name(), self.columns.uid),
        }
    }
}
