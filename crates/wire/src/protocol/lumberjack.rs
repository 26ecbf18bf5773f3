//! Lumberjack, version 2: what Beats speak to Logstash.
//!
//! In: the bytes of one connection, split anywhere. Out: windows and events, in their order; acknowledgements as bytes.
//! Holds: the head of a frame that is not whole, and the state of a compressed frame, whose content is never held as a whole.
//! Limits: of an event no more is kept than the limit, the rest is skipped; what one call returns is bounded by `room` and one
//! event, however much a compressed frame unpacks to. An event that no window announced, a frame within a frame that may not be
//! there, and versions other than 2 are errors, after which the connection must be closed.

mod scan;
mod unpack;

pub use scan::{LumberjackBatch, LumberjackError, LumberjackEvent};

use scan::{Level, Scanner, Step, VERSION};
use unpack::Unpacker;

/// Reads the frames of a connection.
pub struct LumberjackReader {
    limit: usize,
    outer: Scanner,
    inner: Scanner,
    /// The compressed frame that is being read.
    packed: Option<Unpacker>,
    /// Events of this window that are to come.
    missing: u32,
}

impl LumberjackReader {
    /// Makes a reader that keeps at most `limit` bytes of an event.
    pub fn new(limit: usize) -> LumberjackReader {
        let (outer, inner) = (Scanner::default(), Scanner::default());
        LumberjackReader { limit: limit.max(1), outer, inner, packed: None, missing: 0 }
    }

    /// Reads from the bytes behind `at` into a batch until a window is complete, the batch has `room` bytes, or nothing is left.
    /// Returns up to where they were read. A batch that is complete or full is to be split before the next call.
    pub fn next(
        &mut self,
        bytes: &[u8],
        at: usize,
        room: usize,
        batch: &mut LumberjackBatch,
    ) -> Result<usize, LumberjackError> {
        let mut at = at;
        while batch.ends.is_none() && !batch.is_full(room) {
            if let Some(packed) = &mut self.packed {
                let (used, found) = packed.next(&bytes[at..], &mut self.inner, self.limit, batch)?;
                at += used;
                match found {
                    Some(found) => self.apply(found, batch)?,
                    None if packed.is_done() => {
                        if !self.inner.is_between() {
                            return Err(LumberjackError("a compressed frame ends within an event"));
                        }
                        self.packed = None;
                    }
                    None => break,
                }
                continue;
            }
            let (used, found) = self.outer.next(&bytes[at..], Level::Outer, self.limit, batch)?;
            at += used;
            match found {
                Some(found) => self.apply(found, batch)?,
                None => break,
            }
        }
        Ok(at)
    }

    /// Takes the whole events out of a batch; the beginning of one that is not whole stays.
    pub fn split(&mut self, batch: &mut LumberjackBatch) -> LumberjackBatch {
        let end = batch.events.last().map_or(0, |event| event.range.end);
        let bytes = batch.bytes.split_off(end);
        for open in [&mut self.outer.event, &mut self.inner.event].into_iter().flatten() {
            open.start = 0;
        }
        std::mem::replace(batch, LumberjackBatch { bytes, ..LumberjackBatch::default() })
    }

    /// Returns whether something was begun and is not whole.
    pub fn is_within(&self) -> bool {
        self.packed.is_some() || self.missing > 0 || !self.outer.is_between()
    }

    /// Returns whether something can be returned without further bytes.
    pub fn has_more(&self) -> bool {
        self.packed.as_ref().is_some_and(Unpacker::has_more)
    }

    fn apply(&mut self, found: Step, batch: &mut LumberjackBatch) -> Result<(), LumberjackError> {
        match found {
            Step::Window(_) if self.missing > 0 => {
                return Err(LumberjackError("a window begins before the last one is complete"));
            }
            Step::Window(count) => self.missing = count,
            Step::Packed(size) => self.packed = Some(Unpacker::new(size)),
            Step::Event(_) if self.missing == 0 => {
                return Err(LumberjackError("an event comes that no window has announced"));
            }
            Step::Event(sequence) => {
                self.missing -= 1;
                batch.ends = (self.missing == 0).then_some(sequence);
            }
        }
        Ok(())
    }
}

/// Appends the acknowledgement of all events up to a sequence; 0 says that they are being worked on.
pub fn append_lumberjack_ack(sequence: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(&[VERSION, b'A']);
    out.extend_from_slice(&sequence.to_be_bytes());
}

#[cfg(test)]
mod tests;
