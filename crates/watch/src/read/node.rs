//! A part of a file of rules and where it stands.
//!
//! In: what `tree` parsed. Out: texts, lists, maps. Limits: those of `tree`.

use super::fault::{RuleError, RuleFault};

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    /// Line and column of its first character, from 1.
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Position of its first character in the text, in characters, and of the one after its last.
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) content: Content,
}

/// The contents of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    /// A text, a number, anything without parts.
    Text { text: String, quoting: Quoting },
    /// A list.
    List(Vec<Node>),
    /// A map, in its order.
    Map(Vec<(Node, Node)>),
}

/// The notation of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Quoting {
    /// Without quotes.
    Plain,
    /// In quotes.
    Quoted,
    /// As a block of lines.
    Block,
}

impl Node {
    pub(crate) fn fault(&self, fault: RuleFault) -> RuleError {
        RuleError { line: self.line, column: self.column, fault }
    }

    /// The value of a key of a map.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match &self.content {
            Content::Map(map) => map.iter().find(|(known, _)| known.is_text(key)).map(|(_, value)| value),
            Content::Text { .. } | Content::List(_) => None,
        }
    }

    /// The text of a text.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text { text, .. } => Some(text),
            Content::List(_) | Content::Map(_) => None,
        }
    }

    /// Returns the nodes of a list, or the node itself.
    pub(crate) fn one_or_many(&self) -> &[Node] {
        match &self.content {
            Content::List(list) => list,
            Content::Text { .. } | Content::Map(_) => std::slice::from_ref(self),
        }
    }

    pub(crate) fn is_text(&self, wanted: &str) -> bool {
        matches!(&self.content, Content::Text { text, .. } if text == wanted)
    }

    /// Returns the text for a user.
    pub(crate) fn shown(&self) -> String {
        match &self.content {
            Content::Text { text, .. } => text.chars().take(40).collect(),
            Content::List(_) => "a list".to_owned(),
            Content::Map(_) => "a map".to_owned(),
        }
    }

    /// Returns true for a value that was left out: nothing, `~` or `null`.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.content, Content::Text { text, quoting: Quoting::Plain } if matches!(text.as_str(), "" | "~" | "null"))
    }
}
