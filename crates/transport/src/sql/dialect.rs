//! Names and values inside the text of statements. What is in them cannot end them, nor begin a statement.
//!
//! In: names, values. Out: the same, quoted. Holds: nothing. Limits: [`Dialect::name_bytes_max`].

use super::Value;
use std::fmt::Write as _;

/// The language of a database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// PostgreSQL
    Postgres,
    /// SQLite
    Sqlite,
    /// MySQL and MariaDB
    Mysql,
}

impl Dialect {
    /// Returns the longest name. PostgreSQL would cut a longer one in silence, and two tables would become one; SQLite has no
    /// limit, and takes the same names.
    pub fn name_bytes_max(self) -> usize {
        match self {
            Dialect::Postgres | Dialect::Sqlite => 63,
            Dialect::Mysql => 64,
        }
    }

    /// Returns the sign around names that works in every mode of the server.
    fn quote(self) -> char {
        match self {
            Dialect::Postgres | Dialect::Sqlite => '"',
            Dialect::Mysql => '`',
        }
    }

    /// Quotes a name.
    pub fn quoted(self, name: &str) -> String {
        let quote = self.quote();
        let doubled = name.replace(quote, &format!("{quote}{quote}"));
        format!("{quote}{doubled}{quote}")
    }

    /// Quotes a name, each side of its dot for itself.
    pub fn quoted_table(self, name: &str) -> String {
        name.split('.').map(|part| self.quoted(part)).collect::<Vec<_>>().join(".")
    }

    /// Returns a name as it is in the database when it was written without quotes: PostgreSQL makes capitals small.
    pub fn folded(self, name: &str) -> String {
        match self {
            Dialect::Postgres => name.to_ascii_lowercase(),
            Dialect::Sqlite | Dialect::Mysql => name.to_owned(),
        }
    }

    /// Appends a value as it is written in a statement. What it is compared with decides its type. The server has to read
    /// backslashes as our sessions do: as any other character in PostgreSQL and SQLite, as an escape in MySQL.
    pub fn push_literal(self, value: &Value, statement: &mut String) {
        match value {
            Value::Null => statement.push_str("NULL"),
            Value::Integer(number) => {
                // PostgreSQL compares numbers with columns of other types only when they are quoted.
                let quote = if self == Dialect::Postgres { "'" } else { "" };
                let _ = write!(statement, "{quote}{number}{quote}");
            }
            Value::Double(number) => {
                let quote = if self == Dialect::Postgres { "'" } else { "" };
                let _ = write!(statement, "{quote}{number:?}{quote}");
            }
            Value::Boolean(truth) => statement.push_str(if *truth { "TRUE" } else { "FALSE" }),
            Value::Text(text) if self == Dialect::Sqlite && text.contains('\0') => {
                statement.push_str("CAST(");
                self.push_literal(&Value::Bytes(text.as_bytes().to_vec()), statement);
                statement.push_str(" AS TEXT)");
            }
            Value::Text(text) => {
                statement.push('\'');
                for character in text.chars() {
                    match (character, self) {
                        ('\'', _) => statement.push_str("''"),
                        ('\\', Dialect::Mysql) => statement.push_str("\\\\"),
                        // PostgreSQL has none in its texts; its end would be that of the statement.
                        ('\0', Dialect::Mysql) => statement.push_str("\\0"),
                        ('\0', _) => {}
                        (character, _) => statement.push(character),
                    }
                }
                statement.push('\'');
            }
            Value::Bytes(bytes) => {
                statement.push_str(if self == Dialect::Postgres { "'\\x" } else { "X'" });
                for byte in bytes {
                    let _ = write!(statement, "{byte:02x}");
                }
                statement.push('\'');
            }
        }
    }
}

#[cfg(test)]
mod tests;
