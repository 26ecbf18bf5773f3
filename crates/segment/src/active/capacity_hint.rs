//! The expected sizes of a segment's parts, taken from the previous segment.
//!
//! In: sizes of a complete segment. Out: the memory that the next one reserves at once, so that its tables need not
//! grow.
//! Holds nothing. Limits: unused capacity costs no memory, missing capacity is allocated later.

/// Sizes of a segment's parts.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct CapacityHint {
    pub(super) documents: usize,
    /// Pairs of a document and a term.
    pub(super) pairs: usize,
    /// Pairs of a document and a term that it has again.
    pub(super) pairs_again: usize,
    pub(super) terms: u32,
    pub(super) term_bytes: usize,
    /// Bytes of compressed blocks.
    pub(super) block_bytes: usize,
}
