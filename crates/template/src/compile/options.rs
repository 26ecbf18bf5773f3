//! Options at the start of a function's words: `--name value`, `--name=value`.
//!
//! In: words. Out: options one by one, then the words that are left. Holds: the words that are left.
//! Limits: an option that is not known ends them: it is an argument.

use super::{arguments::Word, error::TemplateError};

/// The options of one call.
pub(super) struct Options<'a> {
    words: &'a [Word],
    known: &'a [&'static str],
}

impl<'a> Options<'a> {
    pub(super) fn new(words: &'a [Word], known: &'a [&'static str]) -> Options<'a> {
        Options { words, known }
    }

    /// Returns the next option with its value.
    pub(super) fn next(&mut self) -> Result<Option<(&'static str, String)>, TemplateError> {
        let Some((word, rest)) = self.words.split_first() else { return Ok(None) };
        let Some(option) = word.text.strip_prefix("--") else { return Ok(None) };
        let (name, inline) =
            option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        let Some(known) = self.known.iter().find(|known| **known == name) else { return Ok(None) };
        let (value, rest) = match (inline, rest.split_first()) {
            (Some(value), _) => (value.to_owned(), rest),
            (None, Some((value, rest))) => (value.text.clone(), rest),
            (None, None) => {
                return Err(TemplateError::at(word.offset, format!("missing argument for --{name}")));
            }
        };
        self.words = rest;
        Ok(Some((known, value)))
    }

    /// Returns the arguments after the options.
    pub(super) fn rest(&self) -> &'a [Word] {
        self.words
    }
}

/// Reads yes or no.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text {
        "yes" | "true" | "on" | "1" => Some(true),
        "no" | "false" | "off" | "0" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
