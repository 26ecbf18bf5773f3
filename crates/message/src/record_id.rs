//! The identity of a message at one destination.
//!
//! In: a position in the queue that numbers messages. Out: an id that a receiver may use as a key. Holds: two
//! numbers. Limits: none.

use std::fmt;

/// Identifies a message at one destination. The id survives restarts while the message waits in a queue on disk, so
/// a receiver with a key recognises messages that it already has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct RecordId {
    /// Random; drawn when the queue is created.
    pub incarnation: u64,
    /// Position of the message in the queue, counted from 0.
    pub sequence: u64,
}

impl RecordId {
    /// Returns the id of the message that is `places` positions later in the queue.
    pub fn after(self, places: u64) -> RecordId {
        RecordId { sequence: self.sequence.wrapping_add(places), ..self }
    }

    /// Reads the 32 hexadecimal digits that `Display` writes.
    pub fn parse(text: &str) -> Option<RecordId> {
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u128::from_str_radix(text, 16).ok().filter(|_| digits)?;
        Some(RecordId { incarnation: (number >> 64) as u64, sequence: number as u64 })
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.incarnation, self.sequence)
    }
}
