//! Blocks: pieces of configuration with arguments.
//!
//! In: built by the parser. Out: definitions for their uses.
//! Holds: regions of texts, never copies.

use super::name::Name;
use crate::text::Span;

/// A raw piece of configuration: the text between a pair of parentheses or braces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Raw {
    /// Its span, which holds exactly the piece.
    pub span: Span,
}

/// One declared argument of a block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: Name,
    /// The value when a use does not set one; `None` when every use must set one.
    pub default: Option<Raw>,
}

/// `block CONTEXT NAME(parameters) { body };`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The context in which it may be used: `source`, `destination`, `log`, `root` and so on.
    pub context: Name,
    /// Its name.
    pub name: Name,
    /// Its arguments.
    pub parameters: Vec<Parameter>,
    /// True when a use may have undeclared arguments.
    pub takes_rest: bool,
    /// Its body.
    pub body: Raw,
    /// The whole definition.
    pub span: Span,
}
