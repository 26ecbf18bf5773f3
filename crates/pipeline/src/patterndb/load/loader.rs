//! A pattern database while it is read.
//!
//! In: the elements of a file, one by one. Out: a database. Holds: the elements that are open, and the database so far.
//! Limits: the elements of the format bound the depth.

use super::pattern::Patterns;
use crate::{
    Definitions,
    correlation::Synthetic,
    patterndb::{
        markup::{LoadError, Markup},
        model::{Action, Database, Example, Rule},
    },
};

/// The element that text and elements are in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ElementKind {
    Patterndb,
    Ruleset,
    Program,
    Rules,
    Rule,
    Pattern,
    Examples,
    Example,
    TestMessage,
    TestValues,
    TestValue,
    Actions,
    Action,
    CreateContext,
    Message,
    Value,
    Tag,
    /// Text for people only.
    Prose,
}

/// The state of reading a file.
pub(super) struct Loader<'a> {
    pub(super) markup: Markup<'a>,
    pub(super) prefix: &'a str,
    pub(super) around: &'a Definitions,
    /// The elements that are open; those that only group others repeat the one around them.
    pub(super) open: Vec<ElementKind>,
    pub(super) patterns: Patterns,
    pub(super) database: Option<DatabaseHead>,
    pub(super) rules: Vec<Rule>,
    pub(super) examples: Vec<Example>,
    /// The action that is open.
    pub(super) action: Option<Action>,
    /// The message of an action that is open.
    pub(super) message: Option<Synthetic>,
    pub(super) example: Option<Example>,
    /// Name and type of the value that is open.
    pub(super) value: (String, Option<String>),
    pub(super) has_rulesets: bool,
}

/// Attributes of the outermost element.
pub(super) struct DatabaseHead {
    pub(super) version: String,
    pub(super) pub_date: String,
}

impl<'a> Loader<'a> {
    pub(super) fn new(markup: Markup<'a>, prefix: &'a str, around: &'a Definitions) -> Loader<'a> {
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

    pub(super) fn finish(mut self) -> Result<Database, LoadError> {
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
