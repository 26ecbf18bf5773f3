//! Messages as bytes for the process.
//!
//! In: messages with the values that are sent. Out: bytes that Python reads where it needs them.
//! Holds: nothing between two batches but memory. Limits: at most [`VALUES_MAX`] values of a message are sent; one with a NUL in its name is not.
//!
//! A message: its `${SEQNUM}` in eight bytes, its priority in two, its time as microseconds since 1970 in eight, the offset of
//! its zone in seconds in four, the length of the names in four, the number of values in two; the names with NULs between; the type
//! of each value in a byte; the length of each value in four bytes; the values. Messages with the same names have the same
//! bytes there, so that Python looks up a name once for all of them.

use crate::values::{Named, Values};
use message::{Batch, ValueKind};

/// Most values of a message.
const VALUES_MAX: usize = u16::MAX as usize;

/// A message of a batch.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    /// The batch that it is in.
    pub batch: &'a Batch,
    /// Its place there.
    pub index: usize,
    /// `${SEQNUM}` of the destination.
    pub sequence: u64,
}

/// Memory for the values of a message.
#[derive(Default)]
pub(crate) struct Writer {
    names: Vec<u8>,
    kinds: Vec<u8>,
    lengths: Vec<u8>,
    values: Vec<u8>,
}

impl Writer {
    /// Appends a message, its length before it. The values of macros in `learned` are added.
    pub(crate) fn append(
        &mut self,
        item: &Item<'_>,
        values: &mut dyn Values,
        learned: &[String],
        out: &mut Vec<u8>,
    ) {
        self.names.clear();
        self.kinds.clear();
        self.lengths.clear();
        self.values.clear();
        let Item { batch, index, sequence } = *item;
        values.pairs(batch, index, sequence, &mut |name, value, kind| self.add(name, value, kind));
        for name in learned {
            if let Named::Macro(value, kind) = values.named(batch, index, sequence, name) {
                self.add(name, &value, kind);
            }
        }
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        let message = &batch.messages[index];
        out.extend_from_slice(&sequence.to_le_bytes());
        out.extend_from_slice(&message.pri.0.to_le_bytes());
        out.extend_from_slice(&message.event.unix_us.to_le_bytes());
        out.extend_from_slice(&message.event.offset_s.to_le_bytes());
        out.extend_from_slice(&(self.names.len() as u32).to_le_bytes());
        out.extend_from_slice(&(self.kinds.len() as u16).to_le_bytes());
        out.extend_from_slice(&self.names);
        out.extend_from_slice(&self.kinds);
        out.extend_from_slice(&self.lengths);
        out.extend_from_slice(&self.values);
        let length = (out.len() - start - 4) as u32;
        out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    fn add(&mut self, name: &str, value: &[u8], kind: ValueKind) {
        let is_sent = !matches!(kind, ValueKind::Tag | ValueKind::Unset | ValueKind::Bytes);
        if !is_sent || self.kinds.len() >= VALUES_MAX || name.contains('\0') {
            return;
        }
        if !self.kinds.is_empty() {
            self.names.push(0);
        }
        self.names.extend_from_slice(name.as_bytes());
        self.kinds.push(kind as u8);
        self.lengths.extend_from_slice(&(value.len() as u32).to_le_bytes());
        self.values.extend_from_slice(value);
    }
}

#[cfg(test)]
mod tests;
