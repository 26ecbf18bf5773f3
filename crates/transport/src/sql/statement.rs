//! Statements with values in them, and their results.
//!
//! In: texts of the configuration, values of anywhere. Out: text in the language of a database, in which values cannot end their
//! quotes. Holds: references. Limits: [`RowLimits`].

use super::{Dialect, Value};

/// A part of a statement.
#[derive(Clone, Copy, Debug)]
enum StatementPart<'a> {
    Text(&'a str),
    Value(&'a Value),
}

/// A statement with values in it, which cannot end their quotes.
#[derive(Clone, Default, Debug)]
pub struct Statement<'a>(Vec<StatementPart<'a>>);

/// A statement without its values: what the columns of its results depend on.
pub(super) struct Shape(pub(super) String);

impl<'a> Statement<'a> {
    /// Makes a statement of a text that stands in the configuration.
    pub fn new(text: &'a str) -> Statement<'a> {
        Statement(vec![StatementPart::Text(text)])
    }

    /// Makes a statement of a text, in which `mark` stands for a value wherever it is.
    pub fn filled(text: &'a str, mark: &str, value: &'a Value) -> Statement<'a> {
        let mut statement = Statement::default();
        for (index, part) in text.split(mark).enumerate() {
            if index > 0 {
                statement.0.push(StatementPart::Value(value));
            }
            statement.0.push(StatementPart::Text(part));
        }
        statement
    }

    /// Returns its text in the language of a database.
    pub fn text(&self, dialect: Dialect) -> String {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                StatementPart::Text(part) => text.push_str(part),
                StatementPart::Value(value) => dialect.push_literal(value, &mut text),
            }
        }
        text
    }

    pub(super) fn shape(&self) -> Shape {
        let part = |part: &StatementPart<'a>| match part {
            StatementPart::Text(text) => *text,
            StatementPart::Value(_) => "NULL",
        };
        Shape(self.0.iter().map(part).collect())
    }
}

/// How much of the results of a statement is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowLimits {
    /// Most rows.
    pub rows: usize,
    /// Bytes of values after which no further row is kept.
    pub bytes: usize,
}

impl RowLimits {
    pub(super) fn are_reached(self, rows: usize, bytes: usize) -> bool {
        rows >= self.rows || bytes >= self.bytes
    }
}

/// Returns about how many bytes a row takes.
pub(super) fn row_size(values: &[Value]) -> usize {
    values.iter().map(Value::size).sum::<usize>() + size_of::<Vec<Value>>()
}

/// The results of a statement.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rows {
    /// The names of columns, as the database has them.
    pub columns: Vec<String>,
    /// The values of each row, in the order of the columns.
    pub rows: Vec<Vec<Value>>,
    /// A limit was reached: there are more rows.
    pub is_cut: bool,
}
