//! The options of `sql()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the connections. Holds: nothing that runs.
//! Limits: the defaults are syslog-ng's, except as documented in [`SqlTarget`].

use delivery::Batches;
use message::{Render, ValueKind};
use std::sync::Arc;
use transport::sql::{Dialect, SqlServer};

/// Most tables whose columns a connection knows to be there.
pub(super) const TABLES_KNOWN_MAX: usize = 10_000;

/// `flags(dont-create-tables)`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableMaking {
    /// Missing tables, columns and indexes are made.
    Make,
    /// Messages wait until someone makes them.
    Leave,
}

/// The value of a column.
pub enum ColumnValue {
    /// A template, with the type of its text.
    Template(Box<dyn Render>, ValueKind),
    /// `default`: the database's own.
    Default,
}

/// One column.
pub struct Column {
    /// Its name as it is in the database, without quotes.
    pub name: String,
    /// Its type, as the database spells it.
    pub kind: String,
    /// Its value.
    pub value: ColumnValue,
}

/// `sql()`. Unlike syslog-ng's, all rows of a request are one transaction, with `flags(explicit-commits)` and without.
pub struct SqlTarget {
    /// The database.
    pub server: SqlServer,
    /// `table()`: bytes of it other than letters, digits, `.` and `_` become `_`.
    pub table: Box<dyn Render>,
    /// `columns()` and `values()`
    pub columns: Vec<Column>,
    /// `indexes()`: columns that get an index when the table, or the column, is made.
    pub indexes: Vec<String>,
    /// `null()`: a value that is equal to it becomes NULL.
    pub null: Option<String>,
    /// The creation of tables.
    pub tables: TableMaking,
    /// `session-statements()`: executed after each connect.
    pub session_statements: Vec<String>,
    /// `create-statement-append()`: appended to `CREATE TABLE (...)`.
    pub create_append: String,
    /// `unique-column()`: a column that gets the id of the message, so that no message comes twice.
    pub unique_column: Option<String>,
    /// How rows are gathered in a transaction. The database has one connection: `workers` is not used.
    pub batches: Batches,
}

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Schema {
    pub(super) server: SqlServer,
    /// Name and type of each column that gets a value, in the order of a row's cells.
    pub(super) columns: Vec<(String, String)>,
    pub(super) indexes: Vec<String>,
    pub(super) tables: TableMaking,
    pub(super) session_statements: Vec<String>,
    pub(super) create_append: String,
    pub(super) unique_column: Option<String>,
    /// Columns that are made with the table and get no value from us.
    pub(super) default_columns: Vec<(String, String)>,
}

impl Schema {
    pub(super) fn of(target: &SqlTarget) -> Arc<Schema> {
        let folded = |name: &String| target.server.dialect().folded(name);
        let named = |column: &Column| (folded(&column.name), column.kind.clone());
        let has_value = |column: &&Column| matches!(column.value, ColumnValue::Template(..));
        Arc::new(Schema {
            server: target.server.clone(),
            columns: target.columns.iter().filter(has_value).map(named).collect(),
            default_columns: target.columns.iter().filter(|column| !has_value(column)).map(named).collect(),
            indexes: target.indexes.iter().map(folded).collect(),
            tables: target.tables,
            session_statements: target.session_statements.clone(),
            create_append: target.create_append.clone(),
            unique_column: target.unique_column.as_ref().map(folded),
        })
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.server.dialect()
    }

    /// Returns every column that the table must have, with its type.
    pub(super) fn all_columns(&self) -> impl Iterator<Item = (&str, &str)> {
        let unique =
            self.unique_column.iter().map(|name| (name.as_str(), statement_type_of_id(&self.server)));
        let named = self.columns.iter().chain(&self.default_columns);
        named.map(|(name, kind)| (name.as_str(), kind.as_str())).chain(unique)
    }
}

/// The type of the column with the ids of messages.
fn statement_type_of_id(server: &SqlServer) -> &'static str {
    match server {
        SqlServer::Postgres(_) => "varchar(32)",
        SqlServer::Mysql(_) => "char(32) CHARACTER SET ascii COLLATE ascii_bin",
        SqlServer::Sqlite(_) => "text",
    }
}
