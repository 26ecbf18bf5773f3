//! Words with their positions, and the kinds of objects that have names.
//!
//! In: nothing. Out: types.

use crate::text::Span;

/// A word and its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// As written.
    pub text: String,
    /// The position.
    pub span: Span,
}

impl Name {
    /// Returns it as a keyword: `_` and `-` are the same.
    pub fn key(&self) -> String {
        crate::words::keyword(&self.text)
    }
}

/// The kinds of objects that log paths refer to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// Produces messages.
    Source,
    /// Delivers messages.
    Destination,
    /// Selects messages.
    Filter,
    /// Extracts values from messages.
    Parser,
    /// Changes messages.
    Rewrite,
    /// Formats messages.
    Template,
}

impl Kind {
    /// Returns the keyword.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Source => "source",
            Kind::Destination => "destination",
            Kind::Filter => "filter",
            Kind::Parser => "parser",
            Kind::Rewrite => "rewrite",
            Kind::Template => "template",
        }
    }
}
