//! The order of messages in their streams.
//!
//! In: whole messages, numbers that will not come. Out: messages in their order. Holds: messages that wait for earlier ones.
//! Limits: the caller bounds the sum of their bytes; a number behind the next one of its stream is dropped.

use super::limits::PIECE_COST;
use super::reassembly::Whole;
use crate::codec::Numbering;
use crate::codec::serial::wrap;
use crate::interface::ReceivedMessage;
use std::collections::BTreeMap;

/// One stream: the number of the next message, and later ones that wait for it. Numbers have 64 bits and do not come round.
struct Stream {
    next: u64,
    waiting: BTreeMap<u64, ReceivedMessage>,
}

/// All streams.
#[derive(Default)]
pub(super) struct Streams {
    streams: BTreeMap<u16, Stream>,
    /// Bytes of waiting messages, with what they cost to keep.
    bytes: usize,
    /// Bytes of messages that were released since the last question.
    released: usize,
}

impl Streams {
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes the bytes of messages that were released.
    pub(super) fn take_released(&mut self) -> usize {
        std::mem::take(&mut self.released)
    }

    /// Takes a message; appends what is next in its stream.
    pub(super) fn add(&mut self, whole: Whole, out: &mut Vec<ReceivedMessage>) {
        let Whole { numbering, message } = whole;
        let cost = message.payload.len() + PIECE_COST;
        if message.unordered {
            self.released += cost;
            out.push(message);
            return;
        }
        let stream = self.streams.entry(message.stream).or_default();
        let number = stream.unwrap(numbering);
        if number >= stream.next && stream.waiting.insert(number, message).is_none() {
            self.bytes += cost;
        }
        stream.release(&mut self.bytes, &mut self.released, out);
    }

    /// Skips messages of a stream up to a number; appends those that waited for them.
    pub(super) fn skip(&mut self, stream: u16, numbering: Numbering, out: &mut Vec<ReceivedMessage>) {
        let stream = self.streams.entry(stream).or_default();
        let after = stream.unwrap(numbering) + 1;
        if after <= stream.next {
            return;
        }
        let later = stream.waiting.split_off(&after);
        for (_, message) in std::mem::replace(&mut stream.waiting, later) {
            let cost = message.payload.len() + PIECE_COST;
            self.bytes -= cost;
            self.released += cost;
            out.push(message);
        }
        stream.next = after;
        stream.release(&mut self.bytes, &mut self.released, out);
    }
}

impl Default for Stream {
    fn default() -> Stream {
        Stream { next: 1 << 32, waiting: BTreeMap::new() }
    }
}

impl Stream {
    /// Returns the number of 64 bits that is nearest to the next one.
    fn unwrap(&self, numbering: Numbering) -> u64 {
        let [.., three, four] = self.next.to_be_bytes();
        let distance = match numbering {
            Numbering::Sequence(sequence) => {
                i64::from(sequence.wrapping_sub(u16::from_be_bytes([three, four])).cast_signed())
            }
            Numbering::Message { id, .. } => i64::from(id.wrapping_sub(wrap(self.next)).cast_signed()),
        };
        self.next.saturating_add_signed(distance)
    }

    fn release(&mut self, bytes: &mut usize, released: &mut usize, out: &mut Vec<ReceivedMessage>) {
        while let Some(message) = self.waiting.remove(&self.next) {
            self.next += 1;
            let cost = message.payload.len() + PIECE_COST;
            *bytes -= cost;
            *released += cost;
            out.push(message);
        }
    }
}
