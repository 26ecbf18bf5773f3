//! Rendered messages of one target, waiting to be written.
//!
//! In: messages and a template. Out: one slice to write; written bytes are removed.
//! Holds: the bytes and where each message ends, so that a new connection starts with a whole message.
//! Limits: the worker writes before more than `batch_bytes` and one batch are gathered.

use message::{Batch, Render, Selection};
use std::io::Write;

/// Capacity that an empty buffer keeps; more is freed.
const KEPT_BYTES: usize = 4 << 20;

/// How messages are separated on a stream. The template's own line feed is part of the message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StreamFraming {
    /// As the template has it.
    #[default]
    Plain,
    /// `COUNT SP MESSAGE` (RFC 6587, section 3.4.1), without the template's last line feed.
    OctetCounted,
}

/// The output buffer of one target.
#[derive(Default)]
pub struct Output {
    bytes: Vec<u8>,
    /// Offsets in `bytes` at which the messages end, ascending.
    ends: Vec<usize>,
    /// How many bytes were written.
    written: usize,
}

impl Output {
    /// Renders the selected messages.
    pub fn add(
        &mut self,
        (batch, selection): (&Batch, &Selection),
        template: &mut dyn Render,
        framing: StreamFraming,
        sequence: &mut u64,
    ) {
        for index in selection.iter() {
            *sequence += 1;
            self.push(framing, |bytes| template.render(batch, index, *sequence, bytes));
        }
    }

    /// Adds one message.
    #[inline]
    pub fn push(&mut self, framing: StreamFraming, render: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        render(&mut self.bytes);
        if framing == StreamFraming::OctetCounted {
            if self.bytes.len() > start && self.bytes.last() == Some(&b'\n') {
                self.bytes.pop();
            }
            self.count_in_front(start);
        }
        self.ends.push(self.bytes.len());
    }

    fn count_in_front(&mut self, start: usize) {
        let size = self.bytes.len() - start;
        let mut header = [0_u8; 24];
        let mut rest = &mut header[..];
        let room = rest.len();
        // Twenty digits and a blank always fit.
        let _ = write!(rest, "{size} ");
        let used = room - rest.len();
        self.bytes.splice(start..start, header[..used].iter().copied());
    }

    /// Returns the bytes that are to be written.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.written..]
    }

    /// Returns whole messages of the unwritten bytes, until there are at least `size` bytes.
    pub fn part(&self, size: usize) -> &[u8] {
        let wanted = self.written.saturating_add(size.max(1));
        let at = self.ends.partition_point(|end| *end < wanted);
        let end = self.ends.get(at).copied().unwrap_or(self.bytes.len());
        &self.bytes[self.written..end]
    }

    /// Size of what is to be written.
    pub fn size(&self) -> usize {
        self.bytes.len() - self.written
    }

    /// Returns the first message that is not completely written, for targets that take one at a time.
    pub fn next_message(&self) -> Option<&[u8]> {
        let at = self.ends.partition_point(|end| *end <= self.written);
        self.ends.get(at).map(|end| &self.bytes[self.written..*end])
    }

    /// Returns the message that starts `offset` bytes after the written ones, for targets with several in flight.
    pub fn message_at(&self, offset: usize) -> Option<&[u8]> {
        let start = self.written + offset;
        let at = self.ends.partition_point(|end| *end <= start);
        self.ends.get(at).map(|end| &self.bytes[start..*end])
    }

    /// Removes written bytes.
    pub fn advance(&mut self, size: usize) {
        self.written += size;
        assert!(self.written <= self.bytes.len(), "wrote {} of {} bytes", self.written, self.bytes.len());
        if self.written == self.bytes.len() {
            self.clear();
        }
    }

    /// Returns whether the next byte to write is the first of a message.
    pub fn is_at_message(&self) -> bool {
        self.written == 0 || self.ends.binary_search(&self.written).is_ok()
    }

    /// Goes back to the start of a partly written message, so that a new connection gets it whole.
    pub fn rewind(&mut self) {
        let at = self.ends.partition_point(|end| *end <= self.written);
        self.written = if at == 0 { 0 } else { self.ends[at - 1] };
    }

    /// Returns the number of messages that are not completely written.
    pub fn messages(&self) -> usize {
        self.ends.len() - self.ends.partition_point(|end| *end <= self.written)
    }

    /// Returns the number of messages that are not completely written, and of unwritten bytes.
    pub fn amount(&self) -> (usize, usize) {
        (self.messages(), self.size())
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES);
        self.ends.clear();
        self.written = 0;
    }
}

#[cfg(test)]
mod tests;
