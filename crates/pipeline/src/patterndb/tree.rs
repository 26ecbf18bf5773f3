//! The tree of patterns: literal text and parsers, shared by patterns with a common beginning.
//!
//! In: patterns with a number each, in the order of the file. Out: nodes. `@@` is an at sign and a node of its own.
//! Holds: nodes in one list; a child is a position in it. Immutable once built: all cores read it without a lock.
//! Limits: [`PATTERN_BYTES_MAX`] bytes per pattern, which also bounds the depth of one pattern, and [`NODES_MAX`]
//! nodes.

use super::scan::{Scanner, ScannerError};
use std::fmt;

/// Longest pattern: no message that it could match is longer by default.
pub(super) const PATTERN_BYTES_MAX: usize = 64 << 10;
/// Most nodes of one tree.
pub(super) const NODES_MAX: usize = 4_000_000;

/// The first node: it holds no text.
pub(super) const ROOT: u32 = 0;

/// One node.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// Its text; empty for the root and for parsers.
    pub(super) literal: Box<[u8]>,
    pub(super) parser: Option<Box<Scanner>>,
    /// First bytes of the literal children, ascending, and the children.
    pub(super) firsts: Vec<u8>,
    pub(super) literals: Vec<u32>,
    /// The children that are parsers, in the order in which they are tried.
    pub(super) parsers: Vec<u32>,
    /// Number of the pattern that ends here.
    pub(super) value: Option<u32>,
    /// Line and column of the pattern that made the parser.
    pub(super) position: (usize, usize),
}

impl Node {
    /// Returns the name of its parser's value, if that is stored.
    pub(super) fn value_name(&self) -> Option<&str> {
        let parser = self.parser.as_deref()?;
        Some(parser.name.as_str()).filter(|name| !name.is_empty())
    }
}

/// A tree of patterns.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    nodes_max: usize,
}

/// The reason why a pattern is not in the tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum InsertError {
    /// The at sign at a byte has no partner.
    Unpaired { offset: usize },
    /// The parser at a byte cannot be.
    Parser { offset: usize, error: ScannerError },
    /// The same pattern is there already, with this number.
    Duplicate { value: u32 },
    /// It is longer than [`PATTERN_BYTES_MAX`].
    Long { size: usize },
    /// The tree has as many nodes as it may have.
    Full { nodes_max: usize },
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InsertError::Unpaired { offset } => write!(
                f,
                "the at sign at byte {offset} of the pattern has no partner; @@ stands for an at sign"
            ),
            InsertError::Parser { offset, error } => {
                write!(f, "the parser at byte {offset} of the pattern is wrong: {error}")
            }
            InsertError::Duplicate { .. } => f.write_str("the same pattern is there already"),
            InsertError::Long { size } => {
                write!(f, "pattern of {size} bytes is longer than {PATTERN_BYTES_MAX}")
            }
            InsertError::Full { nodes_max } => write!(f, "more than {nodes_max} nodes"),
        }
    }
}

impl Tree {
    /// Makes a tree without patterns.
    pub(super) fn new() -> Tree {
        Tree::with_nodes_max(NODES_MAX)
    }

    /// Makes a tree that takes no more nodes than this.
    pub(super) fn with_nodes_max(nodes_max: usize) -> Tree {
        Tree { nodes: vec![Node::default()], nodes_max }
    }

    /// Adds a pattern. The names of its values start with the prefix.
    pub(super) fn insert(
        &mut self,
        pattern: &str,
        value: u32,
        prefix: &str,
        position: (usize, usize),
    ) -> Result<(), InsertError> {
        if pattern.len() > PATTERN_BYTES_MAX {
            return Err(InsertError::Long { size: pattern.len() });
        }
        let mut at = ROOT;
        let mut rest = pattern;
        while !rest.is_empty() {
            // A text is a node, and may cut another one in two.
            if self.nodes.len() + 2 > self.nodes_max {
                return Err(InsertError::Full { nodes_max: self.nodes_max });
            }
            let offset = pattern.len() - rest.len();
            let Some(after) = rest.strip_prefix('@') else {
                let end = rest.find('@').unwrap_or(rest.len());
                at = self.literal(at, &rest.as_bytes()[..end]);
                rest = &rest[end..];
                continue;
            };
            if let Some(after) = after.strip_prefix('@') {
                at = self.literal(at, b"@");
                rest = after;
                continue;
            }
            let end = after.find('@').ok_or(InsertError::Unpaired { offset })?;
            let scanner = Scanner::parse(&after[..end], prefix)
                .map_err(|error| InsertError::Parser { offset, error })?;
            at = self.parser(at, scanner, position);
            rest = &after[end + 1..];
        }
        let node = &mut self.nodes[at as usize];
        match node.value {
            Some(value) => Err(InsertError::Duplicate { value }),
            None => {
                node.value = Some(value);
                Ok(())
            }
        }
    }

    /// Returns the node of a text below another node, and adds it if it is missing.
    fn literal(&mut self, mut at: u32, mut text: &[u8]) -> u32 {
        while let Some(first) = text.first() {
            let Some(child) = self.child(at, *first) else {
                return self.add_literal(at, text);
            };
            let known = &self.nodes[child as usize].literal;
            let common = known.iter().zip(text).take_while(|(a, b)| a == b).count();
            if common < known.len() {
                self.split(child, common);
            }
            at = child;
            text = &text[common..];
        }
        at
    }

    /// Returns the literal child that starts with a byte.
    #[inline]
    pub(super) fn child(&self, at: u32, first: u8) -> Option<u32> {
        let node = &self.nodes[at as usize];
        let position = match node.firsts.len() {
            // Most nodes have few children: looking at each is faster than halving.
            0..16 => node.firsts.iter().position(|known| *known == first)?,
            _ => node.firsts.binary_search(&first).ok()?,
        };
        node.literals.get(position).copied()
    }

    fn add_literal(&mut self, at: u32, text: &[u8]) -> u32 {
        let added = self.nodes.len() as u32;
        self.nodes.push(Node { literal: text.into(), ..Node::default() });
        let parent = &mut self.nodes[at as usize];
        let position = parent.firsts.partition_point(|known| *known < text[0]);
        parent.firsts.insert(position, text[0]);
        parent.literals.insert(position, added);
        added
    }

    /// Cuts the text of a node: the rest, with all that hangs on it, becomes its only child.
    fn split(&mut self, at: u32, length: usize) {
        let added = self.nodes.len() as u32;
        let node = &mut self.nodes[at as usize];
        let (kept, rest) = node.literal.split_at(length);
        let (kept, rest): (Box<[u8]>, Box<[u8]>) = (kept.into(), rest.into());
        let first = rest[0];
        let mut lower = std::mem::take(node);
        node.literal = kept;
        node.firsts = vec![first];
        node.literals = vec![added];
        lower.literal = rest;
        self.nodes.push(lower);
    }

    /// Returns the node of a parser below another node, and adds it if it is missing.
    fn parser(&mut self, at: u32, scanner: Scanner, position: (usize, usize)) -> u32 {
        let is_same = |child: &&u32| {
            self.nodes[**child as usize].parser.as_ref().is_some_and(|known| known.is_same(&scanner))
        };
        if let Some(child) = self.nodes[at as usize].parsers.iter().find(is_same) {
            return *child;
        }
        let added = self.nodes.len() as u32;
        self.nodes.push(Node { parser: Some(Box::new(scanner)), position, ..Node::default() });
        self.nodes[at as usize].parsers.push(added);
        added
    }
}
