//! Joined names of nested values: `outer.inner`.
//!
//! In: one part at a time. Out: the joined name, to be cut if it is too long. Holds: bytes on the stack.
//! Limits: bytes beyond the longest name are discarded; one extra byte signals that to [`super::writer::Writer`].

use message::FIELD_NAME_BYTES_MAX;

const NAME_BYTES_MAX: usize = FIELD_NAME_BYTES_MAX + 1;

/// The names around the value that is being read.
pub(in crate::parser) struct JoinedName {
    delimiter: u8,
    bytes: [u8; NAME_BYTES_MAX],
    length: usize,
}

impl JoinedName {
    pub(in crate::parser) fn new(delimiter: u8) -> JoinedName {
        JoinedName { delimiter, bytes: [0; NAME_BYTES_MAX], length: 0 }
    }

    /// Adds a part; the result takes it away again when it is given to [`JoinedName::pop_to`].
    pub(in crate::parser) fn push(&mut self, part: &[u8]) -> usize {
        let before = self.length;
        if before > 0 {
            self.append(&[self.delimiter]);
        }
        self.append(part);
        before
    }

    pub(in crate::parser) fn pop_to(&mut self, length: usize) {
        self.length = length;
    }

    pub(in crate::parser) fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(in crate::parser) fn joined(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn append(&mut self, bytes: &[u8]) {
        let taken = bytes.len().min(NAME_BYTES_MAX - self.length);
        self.bytes[self.length..self.length + taken].copy_from_slice(&bytes[..taken]);
        self.length += taken;
    }
}

#[cfg(test)]
mod tests;
