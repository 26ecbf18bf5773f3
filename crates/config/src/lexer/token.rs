//! The tokens of the language.
//!
//! In: nothing. Out: types.

use crate::text::Span;
use crate::words::keyword;

/// The kind of a token, with its value.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Kind {
    /// A bare word: a keyword, a name, a path, an operator such as `>=`.
    Word(String),
    /// A quoted string, its value.
    Text(String),
    /// A whole number: decimal, hexadecimal, octal, or with a size suffix.
    Number(i64),
    /// A number with a fraction.
    Float(f64),
    /// One of `( ) { } [ ] ; : , |`.
    Mark(char),
    /// `..`
    Range,
    /// `=>`
    Arrow,
    /// A character or literal that cannot be read; it has been reported.
    Bad,
    /// The end of everything.
    End,
}

/// A token and its position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) span: Span,
}

impl Token {
    pub(crate) fn is(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark)
    }

    /// Returns the word as a keyword, in which `_` and `-` are the same.
    pub(crate) fn keyword(&self) -> Option<String> {
        match &self.kind {
            Kind::Word(word) => Some(keyword(word)),
            _ => None,
        }
    }

    /// Describes the token for an error such as "unexpected ...".
    pub(crate) fn describe(&self) -> String {
        match &self.kind {
            Kind::Word(word) => format!("`{word}`"),
            Kind::Text(_) => "a string".to_string(),
            Kind::Number(number) => format!("number `{number}`"),
            Kind::Float(number) => format!("number `{number}`"),
            Kind::Mark(mark) => format!("`{mark}`"),
            Kind::Range => "`..`".to_string(),
            Kind::Arrow => "`=>`".to_string(),
            Kind::Bad => "an unreadable literal".to_string(),
            Kind::End => "end of the configuration".to_string(),
        }
    }
}
