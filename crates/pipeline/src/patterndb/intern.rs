//! Constant texts of a database among the bytes of a batch.
//!
//! In: names and values that a database holds. Out: their spans; each is written once a batch as long as it is in use.
//! Holds: a small table by address: a database does not move while a batch is classified.
//! Limits: [`SLOTS`] texts at a time; more are written again.

use message::{Batch, Span};

/// Number of cached texts, a power of two.
const SLOTS: usize = 128;
/// Slots that are checked for one text.
const PROBES: usize = 4;
/// Spreads addresses over the slots: the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The texts that are in one batch.
pub(super) struct InternTable {
    slots: [(usize, Span); SLOTS],
}

impl InternTable {
    pub(super) fn new() -> InternTable {
        InternTable { slots: [(0, Span::EMPTY); SLOTS] }
    }

    /// Returns the span of a text that outlives this table.
    #[inline]
    pub(super) fn span(&mut self, batch: &mut Batch, text: &[u8]) -> Span {
        let address = text.as_ptr() as usize;
        let first = (address as u64).wrapping_mul(MIX) as usize >> (usize::BITS - SLOTS.ilog2());
        let mut target = first;
        for step in 0..PROBES {
            let slot = (first + step) % SLOTS;
            let (known, span) = self.slots[slot];
            if known == address && span.len() == text.len() {
                return span;
            }
            if known == 0 {
                target = slot;
                break;
            }
        }
        let span = batch.add_extra(text);
        self.slots[target] = (address, span);
        span
    }
}

#[cfg(test)]
mod tests;
