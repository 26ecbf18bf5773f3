//! The outcome of every statement of an rsyslog configuration.
//!
//! In: findings of the converter. Out: the same, for users or programs.

use std::fmt;

use super::syntax::FileLine;

/// A converted configuration.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// Its text, in our language.
    pub text: String,
    /// The outcome of every statement, in the order of the original.
    pub findings: Vec<Finding>,
}

/// Returns the fault of a configuration in our language; none when it can be used.
pub type Judge = fn(&str) -> Option<String>;

/// The outcome of converting a statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// It has the same effect.
    Kept,
    /// It behaves nearly as before; the notes say what differs.
    Changed,
    /// It is not in the converted configuration; the notes say why.
    Unsupported,
}

impl Outcome {
    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Kept => "kept",
            Outcome::Changed => "changed",
            Outcome::Unsupported => "not supported",
        }
    }
}

/// One statement and its outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The position of its first line.
    pub place: FileLine,
    /// Its first line.
    pub words: String,
    /// The outcome of its conversion.
    pub outcome: Outcome,
    /// Differences in behaviour, or the reasons why it is not supported.
    pub notes: Vec<String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { place, words, outcome, notes } = self;
        write!(out, "{}:{}: {}: {words}", place.file, place.line, outcome.word())?;
        notes.iter().try_for_each(|note| write!(out, "\n    {note}"))
    }
}
