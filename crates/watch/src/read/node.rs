//! A part of a file of rules and where it stands.
//!
//! In: what `tree` parsed. Out: texts, lists, maps. Limits: those of `tree`.

use super::fault::{RuleError, RuleFault};

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// Line and column of its first character, from 1.
    pub(super) line: usize,
    pub(super) column: usize,
    /// Position of its first character in the text, in characters, and of the one after its last.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) content: Content,
}

/// The contents of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Content {
    /// A text, a number, anything without parts.
    Text { text: String, quoting: Quoting },
    /// A list.
    List(Vec<Node>),
    /// A map, in its order.
    Map(Vec<(Node, Node)>),
}

/// The notation of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quoting {
    /// Without quotes.
    Plain,
    /// In quotes.
    Quoted,
    /// As a block of lines.
    Block,
}

impl Node {
    pub(super) fn fault(&self, fault: RuleFault) -> RuleError {
        RuleError { line: self.line, column: self.column, fault }
    }

    pub(super) fn is_text(&self, wanted: &str) -> bool {
        matches!(&self.content, Content::Text { text, .. } if text == wanted)
    }

    /// Returns the text for a user.
    pub(super) fn shown(&self) -> String {
        match &self.content {
            Content::Text { text, .. } => text.chars().take(40).collect(),
            Content::List(_) => "a list".to_owned(),
            Content::Map(_) => "a map".to_owned(),
        }
    }

    /// Returns true for a value that was left out: nothing, `~` or `null`.
    pub(super) fn is_null(&self) -> bool {
        matches!(&self.content, Content::Text { text, quoting: Quoting::Plain } if matches!(text.as_str(), "" | "~" | "null"))
    }
}
