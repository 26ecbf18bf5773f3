//! How large the parts of a segment become, as the segment before tells.
//!
//! In: a complete segment. Out: the room that the next one makes at once, so that its tables need not grow.
//! Holds nothing. Limits: what is not used costs no memory, what is missing is grown.

use super::builder::Builder;

/// Sizes of a segment's parts.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Room {
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

impl Room {
    /// As large as a segment is, and a little more: neighbours are alike, not equal.
    pub(super) fn like(builder: &Builder) -> Room {
        let more = |size: usize| size + size / 8;
        let terms = &builder.index.terms;
        Room {
            documents: more(builder.length as usize),
            pairs: more(builder.index.flat.len()),
            pairs_again: more(builder.index.again.len()),
            terms: terms.len(),
            term_bytes: more(terms.size()),
            block_bytes: more(builder.blocks.bytes.len()),
        }
    }
}
