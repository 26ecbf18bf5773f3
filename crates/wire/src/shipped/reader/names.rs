//! The names of one body: a name that thousands of entries repeat is stored once.
//!
//! In: names of fields. Out: their spans in the batch. Holds: the names of this body.
//! Limits: [`NAMES_MAX`] names are remembered; names are cut at 128 bytes.

use message::{Batch, FIELD_NAME_BYTES_MAX, Span};
use std::collections::HashMap;

/// Names that are remembered of one body; more are stored again each time.
const NAMES_MAX: usize = 4_096;

/// The names of one body and where they are stored.
#[derive(Default)]
pub(in crate::shipped) struct Names(HashMap<Vec<u8>, Span>);

impl Names {
    pub(in crate::shipped) fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the span of `prefix` and `name` together, cut at the longest name.
    pub(in crate::shipped) fn span(&mut self, prefix: &[u8], name: &[u8], batch: &mut Batch) -> Span {
        if let Some(span) = self.0.get(name) {
            return *span;
        }
        let mut whole = [prefix, name].concat();
        cut(&mut whole);
        if whole.is_empty() {
            whole.push(b'_');
        }
        let span = batch.add_extra(&whole);
        if self.0.len() < NAMES_MAX {
            self.0.insert(name.to_vec(), span);
        }
        span
    }
}

/// Cuts a name between characters.
fn cut(name: &mut Vec<u8>) {
    if name.len() > FIELD_NAME_BYTES_MAX {
        let is_inside = |at: usize| name[at] & 0xC0 == 0x80;
        let mut end = FIELD_NAME_BYTES_MAX;
        while end > 0 && is_inside(end) {
            end -= 1;
        }
        name.truncate(end);
    }
}
