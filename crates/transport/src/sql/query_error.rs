//! The reasons why a statement has no rows.
//!
//! In: errors of clients. Out: what they mean for who asked. Holds: the words of the database.
//! Limits: [`WORDS_MAX`].

use std::fmt;

/// Most characters of the words of a database.
const WORDS_MAX: usize = 300;

/// The remedy of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryFault {
    /// The connection is of no use any more.
    Lost,
    /// The table does not exist.
    NoTable,
    /// The database refuses, for now or until someone has changed something. The connection lives.
    Refused,
}

/// The reason why a statement has no rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryError {
    /// The remedy.
    pub fault: QueryFault,
    /// The words of the database, without credentials.
    pub words: String,
}

impl QueryError {
    /// Makes an error from words.
    pub(super) fn new(fault: QueryFault, words: impl fmt::Display) -> QueryError {
        let words = words.to_string();
        let shown = words.chars().filter(|character| !character.is_control()).take(WORDS_MAX).collect();
        QueryError { fault, words: shown }
    }

    /// The connection is of no use.
    pub(super) fn lost(words: impl fmt::Display) -> QueryError {
        QueryError::new(QueryFault::Lost, words)
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}
