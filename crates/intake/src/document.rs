//! A document that another system has: its bytes in order, from an offset on, whose messages are acknowledged by offset.
//!
//! In: bytes, split anywhere. Out: batches of whole messages, each with the offset behind it. Holds: the part of a message that has
//! no end yet. Limits: that part is bounded by the framer's limit; the caller asks the window for room before it adds bytes.

use crate::batch_reader::{BatchReader, Completion, buffer};
use message::Origin;
use std::sync::Arc;

/// Makes the batches of one document after the other.
pub struct DocumentReader {
    /// Its settings, and the window that permits it to read.
    pub batches: BatchReader,
    /// The beginning of a message, converted if `encoding()` is set.
    rest: Vec<u8>,
    /// The offset behind the bytes that were added.
    offset: u64,
    /// The offset at which the unfinished message begins, or a lower one.
    whole: u64,
}

impl DocumentReader {
    /// Makes one without a document.
    pub fn new(mut batches: BatchReader) -> DocumentReader {
        // Who reads another system must not wait for a disk.
        batches.disable_inline_writes();
        DocumentReader { batches, rest: Vec::new(), offset: 0, whole: 0 }
    }

    /// Begins with a document at an offset that was acknowledged.
    pub fn begin(&mut self, offset: u64) {
        self.rest.clear();
        (self.offset, self.whole) = (offset, offset);
        self.batches.restart(offset);
    }

    /// Adds the next bytes, and forwards the messages that they complete; `completion` makes the part of their token from the offset
    /// behind them.
    pub fn add(
        &mut self,
        bytes: &[u8],
        origin: &Arc<Origin>,
        completion: impl FnOnce(u64) -> Box<dyn Completion>,
    ) {
        let mut text = buffer::take(self.rest.len() + bytes.len());
        text.extend_from_slice(&self.rest);
        // Bytes in memory are always there.
        let added = self.batches.read(&mut text, |text| {
            text.extend_from_slice(bytes);
            Ok(bytes.len())
        });
        debug_assert!(added.is_ok_and(|size| size == bytes.len()));
        self.offset += bytes.len() as u64;
        let done = self.batches.split(&text);
        self.rest.clear();
        self.rest.extend_from_slice(&text[done..]);
        if let Some(open) = self.batches.raw_size(&self.rest) {
            self.whole = self.offset.saturating_sub(open as u64);
        }
        if self.batches.frames() == 0 {
            return buffer::recycle(text);
        }
        self.batches.forward(buffer::share(text, done), origin, Some(completion(self.whole)));
    }

    /// Ends the document: what has no end is its last message.
    pub fn finish(&mut self, origin: &Arc<Origin>, completion: impl FnOnce(u64) -> Box<dyn Completion>) {
        let rest = std::mem::take(&mut self.rest);
        self.batches.finish(&rest);
        self.whole = self.offset;
        if self.batches.frames() > 0 {
            self.batches.forward(Arc::new(rest), origin, Some(completion(self.offset)));
        }
    }
}

#[cfg(test)]
mod tests;
