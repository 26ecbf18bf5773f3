//! A block of frames: the received bytes of consecutive messages, and texts that are not part of their frame.
//!
//! In: frames and texts. Out: one byte string to compress, and the positions of each. A line break follows
//! each frame; when a frame itself contains one, the block begins with the lengths instead.
//! Limits: reading never goes beyond the bytes of the block.

use super::{Damage, FileSlice, put_varint};
use std::ops::Range;

/// Each frame ends at the line break after it.
const LINES: u8 = 0;
/// The lengths of all frames precede the first.
const LENGTHS: u8 = 1;

/// First bytes of a block that has no texts and no lengths.
const PLAIN_HEAD: [u8; 2] = [0, LINES];

/// Returns true when a block consists only of frames with a line break after each, according to its first
/// bytes.
pub(crate) fn is_plain(block: &[u8]) -> bool {
    block.starts_with(&PLAIN_HEAD)
}

/// A block being filled.
#[derive(Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    /// End of each frame, without its line break.
    ends: Vec<u32>,
    /// Texts that are not in their frames, in document order.
    texts: Vec<u8>,
    text_ends: Vec<u32>,
}

impl Frames {
    pub(crate) fn push(&mut self, raw: &[u8]) {
        self.bytes.extend_from_slice(raw);
        self.ends.push(self.bytes.len() as u32);
        self.bytes.push(b'\n');
    }

    /// Stores the text of the frame just pushed.
    pub(crate) fn push_text(&mut self, text: &[u8]) {
        self.texts.extend_from_slice(text);
        self.text_ends.push(self.texts.len() as u32);
    }

    /// Size of frames and texts in bytes.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len() + self.texts.len()
    }

    /// The frames with their line breaks.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of frames.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the frame at `index`.
    pub(crate) fn frame(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize + 1);
        &self.bytes[start..self.ends[index] as usize]
    }

    /// Returns the text at `index` among those that are not in their frames.
    pub(crate) fn text(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.text_ends[before] as usize);
        &self.texts[start..self.text_ends[index] as usize]
    }

    /// Makes the block empty.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.texts.clear();
        self.text_ends.clear();
    }

    /// Appends the block's form on disk.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        debug_assert!(self.text_ends.len() <= self.len(), "more texts than frames");
        put_varint(out, self.text_ends.len() as u64);
        // Each frame is followed by one line break; further ones are inside frames.
        let has_breaks = memchr::memchr_iter(b'\n', &self.bytes).count() > self.len();
        if has_breaks {
            out.push(LENGTHS);
            (0..self.len()).for_each(|index| put_varint(out, self.frame(index).len() as u64));
        } else {
            out.push(LINES);
        }
        let mut before = 0;
        for end in &self.text_ends {
            put_varint(out, u64::from(end - before));
            before = *end;
        }
        out.extend_from_slice(&self.bytes);
        out.extend_from_slice(&self.texts);
    }
}

/// Positions of the frames and texts of a decoded block in its bytes.
#[derive(Default, Debug)]
pub(crate) struct Layout {
    pub(crate) frames: Vec<Range<usize>>,
    pub(crate) texts: Vec<Range<usize>>,
}

impl Layout {
    /// Finds the first `count` frames of a block that may be only partly decompressed; returns false when more of
    /// the block is needed, or all of it because it has more than frames with a line break after each.
    pub(crate) fn read_beginning(&mut self, block: &[u8], count: usize) -> bool {
        if !is_plain(block) {
            return false;
        }
        let mut at = self.frames.last().map_or(PLAIN_HEAD.len(), |frame| frame.end + 1);
        while self.frames.len() < count {
            let rest = block.get(at..).unwrap_or_default();
            let Some(length) = memchr::memchr(b'\n', rest) else { return false };
            self.frames.push(at..at + length);
            at += length + 1;
        }
        true
    }

    /// Clears the positions.
    pub(crate) fn clear(&mut self) {
        self.frames.clear();
        self.texts.clear();
    }

    /// Finds the frames and texts in a block of `count` frames.
    pub(crate) fn read(&mut self, block: &[u8], count: usize) -> Result<(), Damage> {
        self.clear();
        let part = FileSlice::loose(block);
        let mut reader = part.reader();
        let text_count = reader.varint_to(count)?;
        let has_lengths = match reader.byte()? {
            LINES => false,
            LENGTHS => true,
            _ => return Err(reader.damage("unknown kind of block")),
        };
        let mut lengths = Vec::new();
        if has_lengths {
            for _ in 0..count {
                lengths.push(reader.varint_to(block.len())?);
            }
        }
        let mut text_lengths = Vec::new();
        for _ in 0..text_count {
            text_lengths.push(reader.varint_to(block.len())?);
        }
        let mut at = reader.position();
        for index in 0..count {
            let length = match lengths.get(index) {
                Some(length) => Some(*length),
                None => memchr::memchr(b'\n', &block[at..]),
            };
            let end = length.and_then(|length| at.checked_add(length)).filter(|end| *end < block.len());
            let end = end.ok_or_else(|| part.damage(at, "a block has too few frames"))?;
            self.frames.push(at..end);
            at = end + 1;
        }
        for length in text_lengths {
            let end = at.checked_add(length).filter(|end| *end <= block.len());
            let end = end.ok_or_else(|| part.damage(at, "a block has too few texts"))?;
            self.texts.push(at..end);
            at = end;
        }
        if at != block.len() {
            return Err(part.damage(at, "a block is longer than its frames"));
        }
        debug_assert_eq!((self.frames.len(), self.texts.len()), (count, text_count));
        Ok(())
    }
}
