//! Data that a segment stores about words besides their postings.
//!
//! In: the words of messages as they arrive, or from a file. Out: the frequent words, the log templates made of them,
//! the words next to the other words, and the characters in a piece of the dictionary. Limits: see each module.

pub(crate) mod adjacency;
pub(crate) mod char_filters;
pub(crate) mod frequent;
pub(crate) mod templates;
