//! The query language: its text, and the tree that it is parsed into.
//!
//! In: text. Out: a tree, or an error with its position. Holds: names of fields, formats of times and words.

pub(crate) mod bind;
pub(crate) mod error;
pub(crate) mod fields;
mod letters;
pub(crate) mod parse;
pub(crate) mod relative;
pub(crate) mod times;
pub(crate) mod tree;
pub(crate) mod words;
