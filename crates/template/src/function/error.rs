//! Errors in the arguments of a template function.
//!
//! In: the arguments. Out: text for users, a fragment that follows the name of the function. Holds: names and counts.
//! Limits: none.

use crate::pattern::PatternError;
use std::fmt;

/// Most matches that are searched for one by number.
pub(super) const MATCHES_MAX: usize = 10_000;

/// The reason why a function does not take its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum FunctionError {
    /// There are too few or too many arguments; `most` is `usize::MAX` if any number is accepted.
    Arguments { least: usize, most: usize, given: usize },
    /// An argument is missing.
    Missing { expected: &'static str },
    /// The value of an option is missing or wrong.
    Option { name: String, expected: &'static str },
    /// A text means nothing here.
    Value { text: String, expected: &'static str },
    /// `--mode` of `list-search` is unknown.
    Mode { name: String },
    /// `--match` of `extract` exceeds the limit.
    Matches,
    /// A pattern does not compile.
    Pattern(PatternError),
}

impl fmt::Display for FunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FunctionError::Arguments { least, most, given } => {
                match (least, most) {
                    (1, &usize::MAX) => f.write_str("at least 1 argument"),
                    (least, &usize::MAX) => write!(f, "at least {least} arguments"),
                    (1, 1) => f.write_str("1 argument"),
                    (least, most) if least == most => write!(f, "{least} arguments"),
                    (least, most) => write!(f, "{least} to {most} arguments"),
                }?;
                write!(f, " expected, {given} given")
            }
            FunctionError::Missing { expected } => write!(f, "{expected} expected"),
            FunctionError::Option { name, expected } => write!(f, "{name} needs {expected}"),
            FunctionError::Value { text, expected } => write!(f, "{text} is not {expected}"),
            FunctionError::Mode { name } => {
                write!(f, "unknown mode {name}; known are literal, prefix, substring, glob, pcre")
            }
            FunctionError::Matches => write!(f, "at most {MATCHES_MAX} matches are looked through"),
            FunctionError::Pattern(error) => error.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests;
