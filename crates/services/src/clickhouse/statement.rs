//! The INSERT, with its names quoted.
//!
//! In: names of the configuration. Out: the statement. Holds: nothing. Limits: [`NAME_BYTES_MAX`].
//!
//! Nothing of a message is part of a statement: values follow it in the body.

use std::fmt;

/// Longest name; those of files, which ClickHouse makes of them, have no more.
const NAME_BYTES_MAX: usize = 255;

/// A text that cannot be a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnNameError {
    /// There is nothing in it.
    Empty,
    /// It is too long.
    TooLong,
    /// It has a control character.
    Control,
}

impl fmt::Display for ColumnNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ColumnNameError::Empty => "a name is empty",
            ColumnNameError::TooLong => "a name has more than 255 bytes",
            ColumnNameError::Control => "a name has a control character",
        })
    }
}

/// Checks the name of a database, a table or a column.
pub fn check_name(name: &str) -> Result<(), ColumnNameError> {
    match name {
        "" => Err(ColumnNameError::Empty),
        name if name.len() > NAME_BYTES_MAX => Err(ColumnNameError::TooLong),
        name if name.contains(char::is_control) => Err(ColumnNameError::Control),
        _ => Ok(()),
    }
}

/// Quotes a name. In backticks a backslash begins an escape, in every version of the server.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

/// Returns the statement that rows follow. Without columns the server takes those that a row names.
pub(super) fn insert(database: &str, table: &str, columns: &[&str], format: &str) -> String {
    let columns: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
    let columns = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
    format!("INSERT INTO {}.{}{columns} FORMAT {format}", quoted(database), quoted(table))
}
