//! The values of the backticks in the body of a block.
//!
//! In: the arguments of one use. Out: pieces of text. Holds: regions of texts, never copies.

use std::collections::BTreeMap;

use crate::text::Span;

/// The values of a block's arguments in one use: name in keyword spelling, and the pieces of its text.
#[derive(Default, Debug)]
pub(crate) struct Values {
    pub(crate) named: BTreeMap<String, Vec<Span>>,
}
