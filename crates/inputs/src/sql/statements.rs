//! The text of queries.
//!
//! In: names of the configuration, a position. Out: statements; values are never part of their text. Holds: nothing.
//! Limits: what a query returns at most; a query of the configuration has its own.

use super::{options::SqlSource, position::Position};
use transport::sql::Dialect;

/// Stands for the value of a position in a query.
pub(super) const MARK: &str = "$last_read_uid";

/// Returns the query for the rows behind a position, in which [`MARK`] stands for its value. Rows with the same value are read
/// again: some of them may be new.
pub(super) fn fetch(options: &SqlSource, position: &Position, rows_max: usize) -> String {
    if let Some(query) = &options.fetch_query {
        return marked(query);
    }
    let (table, column) = names(options);
    let condition = match position {
        Position::Start => format!("{column} IS NOT NULL"),
        Position::At { .. } => format!("{column} >= {MARK}"),
        Position::Behind { .. } => format!("{column} > {MARK}"),
    };
    format!("SELECT * FROM {table} WHERE {condition} ORDER BY {column} LIMIT {rows_max}")
}

/// Returns the query for the last value of the column.
pub(super) fn last(options: &SqlSource) -> String {
    options.init_query.clone().unwrap_or_else(|| highest(options))
}

/// Returns the query for the highest value of the column.
pub(super) fn highest(options: &SqlSource) -> String {
    let (table, column) = names(options);
    format!("SELECT MAX({column}) FROM {table}")
}

/// Returns a query of the configuration in which marks stand without quotes: values bring their own.
pub(super) fn marked(query: &str) -> String {
    query.replace(&format!("'{MARK}'"), MARK)
}

fn names(options: &SqlSource) -> (String, String) {
    let dialect: Dialect = options.server.dialect();
    let table = options.table.as_deref().unwrap_or_default();
    (dialect.quoted_table(table), dialect.quoted(&options.columns.uid))
}
