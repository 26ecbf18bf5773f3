//! Tests, values and lookup tables.
//!
//! In: expressions of RainerScript, selectors, property filters. Out: filter expressions and templates of ours.

pub(super) mod condition;
pub(super) mod lookup;
pub(super) mod value;
