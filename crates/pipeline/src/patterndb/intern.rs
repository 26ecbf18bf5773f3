//! Constant texts of a database among the bytes of a batch.
//!
//! In: names and values that a database holds. Out: their places; each is written once a batch as long as it is in use.
//! Holds: a small table by address: a database does not move while a batch is classified.
//! Limits: [`SLOTS`] texts at a time; more are written again.

use message::{Batch, Span};

/// Texts that are found again, a power of two.
const SLOTS: usize = 128;

/// The texts that stand in one batch.
pub(super) struct Interned {
    slots: [(usize, Span); SLOTS],
}

impl Interned {
    pub(super) fn new() -> Interned {
        Interned { slots: [(0, Span::EMPTY); SLOTS] }
    }

    /// The place of a text that outlives this table.
    #[inline]
    pub(super) fn place(&mut self, batch: &mut Batch, text: &[u8]) -> Span {
        let address = text.as_ptr() as usize;
        let slot = &mut self.slots[(address >> 3 ^ address >> 10) % SLOTS];
        if slot.0 != address || slot.1.len() != text.len() {
            *slot = (address, batch.add_extra(text));
        }
        slot.1
    }
}
