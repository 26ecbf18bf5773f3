//! Errors in the text of a template.
//!
//! In: an offset and a fault. Out: the text that users read. Holds both. Limits: none.

use super::nearest::nearest;
use std::fmt;

/// Error in a template.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateError {
    /// Byte of the template at which it is wrong.
    pub offset: usize,
    /// The fault at that place.
    pub reason: String,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "template is wrong at byte {}: {}", self.offset, self.reason)
    }
}

impl std::error::Error for TemplateError {}

impl TemplateError {
    pub(super) fn at(offset: usize, reason: impl Into<String>) -> TemplateError {
        TemplateError { offset, reason: reason.into() }
    }

    /// Makes an error about a name that does not exist, with the nearest one that does.
    pub(super) fn unknown<'a>(
        offset: usize,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> TemplateError {
        let hint = match nearest(name, known) {
            Some(near) => format!(", did you mean {near}?"),
            None => String::new(),
        };
        TemplateError::at(offset, format!("unknown {what} {name}{hint}"))
    }

    /// Returns the same error with offsets of a text in which this one starts at `by`.
    pub(super) fn shifted(mut self, by: usize) -> TemplateError {
        self.offset += by;
        self
    }
}
