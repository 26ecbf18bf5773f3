//! Blocks of one size: filled up with zero bytes after a message, `pad-size()` of a source, or whole binary records.
//!
//! In: the bytes of one stream, split anywhere. Out: a frame per block, up to its first line feed or NUL, and a frame
//! per record. Holds nothing.
//! Limits: a block is at most what one read brings; a message above the limit is cut and marked.

use super::{Frame, Framer};
use memchr::memchr2;
use message::Marks;

impl Framer {
    pub(super) fn split_blocks(&self, bytes: &[u8], size: usize, frames: &mut Vec<Frame>) -> usize {
        let mut start = 0;
        while let Some(block) = bytes.get(start..start + size.max(1)) {
            self.push_padded(bytes, start, block.len(), frames);
            start += block.len();
        }
        start
    }

    pub(super) fn split_records(&self, bytes: &[u8], size: usize, frames: &mut Vec<Frame>) -> usize {
        let mut start = 0;
        while bytes.len() - start >= size.max(1) {
            let end = start + size.max(1);
            frames.push(Frame { start, end, marks: Marks::NONE });
            start = end;
        }
        start
    }

    /// Adds the message of a block.
    pub(super) fn push_padded(&self, bytes: &[u8], start: usize, size: usize, frames: &mut Vec<Frame>) {
        let end = memchr2(b'\n', 0, &bytes[start..start + size]).unwrap_or(size);
        self.push_line(bytes, start, start + end, Marks::NONE, frames);
    }
}
