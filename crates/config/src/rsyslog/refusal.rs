//! The reason why a piece of a configuration is left out.
//!
//! In: findings of the reader and the converter. Out: one line for users.

use std::fmt;

use super::file::ReadError;

/// A piece of a converted configuration, or the reason why there is none.
pub(super) type Converted<T> = Result<T, Refusal>;

/// The reason why something has no counterpart in the converted configuration.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// The text cannot be read: something else was expected.
    Expected(String),
    /// A value, a name or a text that means nothing; the whole sentence.
    Malformed(String),
    /// Something lacks a part that it cannot do without: `a file without a path`.
    Incomplete(&'static str),
    /// A construct that does not exist here, in the singular.
    Unsupported(String),
    /// Constructs that do not exist here, in the plural.
    UnsupportedMany(String),
    /// A construct that does not run here yet.
    NotYet(String),
    /// A table, a template or a channel that nothing defines.
    Undefined { noun: &'static str, name: String },
    /// Advice: here the same is done differently, or automatically.
    Instead(String),
    /// A limit of the language is reached; the whole sentence.
    TooLarge(String),
    /// Two objects whose names differ only in characters that names here lack.
    SameName { noun: &'static str, name: String, other: String },
    /// A template that is left out itself.
    Template { name: String, why: Box<Refusal> },
    /// The conversion has an error in our language.
    Invalid(String),
    /// An included file that cannot be read.
    File(ReadError),
}

impl Refusal {
    pub(super) fn expected(wanted: impl Into<String>) -> Refusal {
        Refusal::Expected(wanted.into())
    }

    pub(super) fn malformed(sentence: impl Into<String>) -> Refusal {
        Refusal::Malformed(sentence.into())
    }

    pub(super) fn unsupported(construct: impl Into<String>) -> Refusal {
        Refusal::Unsupported(construct.into())
    }

    pub(super) fn unsupported_many(constructs: impl Into<String>) -> Refusal {
        Refusal::UnsupportedMany(constructs.into())
    }

    pub(super) fn not_yet(construct: impl Into<String>) -> Refusal {
        Refusal::NotYet(construct.into())
    }

    pub(super) fn undefined(noun: &'static str, name: &str) -> Refusal {
        Refusal::Undefined { noun, name: name.to_string() }
    }

    pub(super) fn instead(advice: impl Into<String>) -> Refusal {
        Refusal::Instead(advice.into())
    }

    pub(super) fn too_large(sentence: impl Into<String>) -> Refusal {
        Refusal::TooLarge(sentence.into())
    }

    pub(super) fn same_name(noun: &'static str, name: &str, other: &str) -> Refusal {
        Refusal::SameName { noun, name: name.to_string(), other: other.to_string() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Expected(wanted) => write!(out, "cannot be read: expected {wanted}"),
            Refusal::Incomplete(sentence) => out.write_str(sentence),
            Refusal::Unsupported(construct) => write!(out, "{construct} is not supported"),
            Refusal::UnsupportedMany(constructs) => write!(out, "{constructs} are not supported"),
            Refusal::NotYet(construct) => write!(out, "{construct} is not supported yet"),
            Refusal::Undefined { noun, name } => write!(out, "{noun} `{name}` is not defined"),
            Refusal::Malformed(sentence)
            | Refusal::Instead(sentence)
            | Refusal::TooLarge(sentence)
            | Refusal::Invalid(sentence) => out.write_str(sentence),
            Refusal::SameName { noun, name, other } => write!(
                out,
                "{noun}s `{name}` and `{other}` would have the same name here: give one of them another name"
            ),
            Refusal::Template { name, why } => write!(out, "template `{name}`: {why}"),
            Refusal::File(error) => error.fmt(out),
        }
    }
}
