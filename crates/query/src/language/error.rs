//! Errors in the text of a query, and hints about it.
//!
//! In: a position and a cause. Out: the same, with a remedy. Positions count characters, as an editor does.

/// An error in the text of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryError {
    /// First character concerned, from 0.
    pub position: usize,
    /// Number of characters concerned; 0 at the end of the text.
    pub length: usize,
    /// The cause.
    pub message: String,
    /// A suggested correction.
    pub suggestion: Option<String>,
}

impl QueryError {
    pub(crate) fn new(
        position: usize,
        length: usize,
        message: impl Into<String>,
        suggestion: impl Into<String>,
    ) -> QueryError {
        QueryError { position, length, message: message.into(), suggestion: Some(suggestion.into()) }
    }
}

impl std::fmt::Display for QueryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {}", self.message, self.position + 1)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, ": {suggestion}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for QueryError {}

/// Something that is valid but may not be what was meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// First character concerned, from 0.
    pub position: usize,
    /// Number of characters concerned.
    pub length: usize,
    /// The advice.
    pub message: String,
}
