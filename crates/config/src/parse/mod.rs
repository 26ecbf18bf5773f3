//! Parses tokens into the tree.
//!
//! In: a lexer. Out: a [`Tree`] with every statement that could be read, and an error for every one that could not.
//! Holds: one token of look-ahead, the blocks defined so far.
//! Limits: `NESTING_MAX` levels. After an error, reading continues after the next `;` or before the `}` of its level.

mod application;
mod block;
mod call;
mod filter;
mod leaf;
mod parser;
mod path;
mod read;
mod record;
mod selector;
mod statement;

#[cfg(test)]
mod tests;

pub use read::{ExpressionError, parse, parse_filter, preprocess};
pub(crate) use record::quoted;
