//! How large the parts of a segment become, as the segment before tells.
//!
//! In: sizes of a complete segment. Out: the room that the next one makes at once, so that its tables need not grow.
//! Holds nothing. Limits: what is not used costs no memory, what is missing is grown.

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
