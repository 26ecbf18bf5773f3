//! Reads a pattern database from XML.
//!
//! In: the text of a file, versions 2 to 6. Out: a [`Database`], or why it is none, with line and column. What
//! syslog-ng refuses is refused; what it leaves out with a complaint (a pattern with an unknown parser, a pattern that
//! is there already) is left out and listed in [`Database::findings`].
//! Holds: the elements that are open. Limits: [`FILE_BYTES_MAX`] bytes; the elements of the format bound the depth.

mod element;
mod pattern;

use super::{
    Database, Example, Rule,
    markup::{Mark, Markup},
};
use crate::{Definitions, correlation::Synthetic};
use element::State;
use pattern::Patterns;
use std::fmt;

/// Largest file: the largest known databases have 20 MB.
pub const FILE_BYTES_MAX: usize = 256 << 20;

/// Error in a pattern database.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// The fault at that place.
    pub reason: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.reason)
    }
}

impl std::error::Error for LoadError {}

impl Database {
    /// Reads a database. The names of its values start with the prefix; its templates and conditions may use the
    /// templates and filters of a configuration.
    pub fn load(text: &[u8], prefix: &str, around: &Definitions) -> Result<Database, LoadError> {
        if text.len() > FILE_BYTES_MAX {
            let reason = format!("file of {} bytes is larger than {FILE_BYTES_MAX}", text.len());
            return Err(LoadError { line: 1, column: 1, reason });
        }
        let text = std::str::from_utf8(text).map_err(|error| {
            let before = &text[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1) + 1;
            LoadError { line, column, reason: "text is no UTF-8".to_owned() }
        })?;
        let mut loader = Loader::new(Markup::new(text), prefix, around);
        while let Some(mark) = loader.markup.next()? {
            match mark {
                Mark::Start { name, attributes } => loader.start(&name, &attributes)?,
                Mark::Text(text) => loader.text(&text)?,
                Mark::End { .. } => loader.end()?,
            }
        }
        loader.finish()
    }
}

/// The state of reading a file.
struct Loader<'a> {
    markup: Markup<'a>,
    prefix: &'a str,
    around: &'a Definitions,
    /// The elements that are open; those that only group others repeat the one around them.
    open: Vec<State>,
    patterns: Patterns,
    database: Option<Head>,
    rules: Vec<Rule>,
    examples: Vec<Example>,
    /// The action that is open.
    action: Option<super::Action>,
    /// The message of an action that is open.
    message: Option<Synthetic>,
    example: Option<Example>,
    /// Name and type of the value that is open.
    value: (String, Option<String>),
    has_rulesets: bool,
}

/// Attributes of the outermost element.
struct Head {
    version: String,
    pub_date: String,
}

impl<'a> Loader<'a> {
    fn new(markup: Markup<'a>, prefix: &'a str, around: &'a Definitions) -> Loader<'a> {
        Loader {
            markup,
            prefix,
            around,
            open: Vec::new(),
            patterns: Patterns::new(),
            database: None,
            rules: Vec::new(),
            examples: Vec::new(),
            action: None,
            message: None,
            example: None,
            value: (String::new(), None),
            has_rulesets: false,
        }
    }

    fn finish(mut self) -> Result<Database, LoadError> {
        if !self.open.is_empty() {
            return Err(self.markup.error("the file ends inside of an element"));
        }
        let Some(head) = self.database else {
            return Err(self.markup.error("the file has no <patterndb>"));
        };
        let (programs, rules_of, findings) = self.patterns.finish(self.prefix);
        let correlates = self.rules.iter().any(|rule| rule.context.is_some() || !rule.actions.is_empty());
        Ok(Database {
            correlates,
            version: head.version,
            pub_date: head.pub_date,
            programs,
            rules_of,
            rules: self.rules,
            examples: self.examples,
            findings,
            has_rulesets: self.has_rulesets,
        })
    }
}
