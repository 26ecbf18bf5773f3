//! Lines: newline and NUL framing (RFC 6587, section 3.4.2).
//!
//! In: the bytes of one connection, split anywhere. Out: frames, without a carriage return before the delimiter.
//! Limits: a line above the limit is cut as soon as it is known to be longer; no byte is searched twice.

use super::{Frame, Framer, Framing, Oversize, Skip, delimiter::Delimiter};
use memchr::{memchr_iter, memchr2_iter};
use message::Marks;

/// A line that starts somewhere in a buffer.
pub(super) struct Line<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) start: usize,
    pub(super) delimiter: Delimiter,
    pub(super) marks: Marks,
}

impl Framer {
    pub(super) fn split_lines(
        &mut self,
        bytes: &[u8],
        delimiter: Delimiter,
        frames: &mut Vec<Frame>,
    ) -> usize {
        let mut start = self.skip_rest(bytes, 0, delimiter);
        if self.skip != Skip::Nothing {
            return start;
        }
        let from = start.max(std::mem::take(&mut self.searched));
        let rest = bytes.get(from..).unwrap_or_default();
        start = match delimiter {
            Delimiter::LineFeed => self.lines_up_to(bytes, start, from, memchr_iter(b'\n', rest), frames),
            Delimiter::Nul => self.lines_up_to(bytes, start, from, memchr_iter(0, rest), frames),
            Delimiter::Either => self.lines_up_to(bytes, start, from, memchr2_iter(b'\n', 0, rest), frames),
        };
        self.partial_line(Line { bytes, start, delimiter, marks: Marks::NONE }, frames).unwrap_or(start)
    }

    /// Adds the lines that end at `ends` (counted from `from`); returns the offset of the first one without an end.
    #[inline]
    fn lines_up_to(
        &self,
        bytes: &[u8],
        start: usize,
        from: usize,
        ends: impl Iterator<Item = usize>,
        frames: &mut Vec<Frame>,
    ) -> usize {
        let mut start = start;
        for end in ends {
            let end = from + end;
            start = self.text_start(bytes, start, end);
            start = self.split_oversized(bytes, start, end, frames);
            self.push_line(bytes, start, end, Marks::NONE, frames);
            start = end + 1;
        }
        start
    }

    /// Adds one line; returns the offset of the next one, or `None` when its end has not arrived.
    pub(super) fn line_frame(&mut self, line: Line<'_>, frames: &mut Vec<Frame>) -> Option<usize> {
        let from = line.start + std::mem::take(&mut self.searched);
        match line.delimiter.find(line.bytes.get(from..).unwrap_or_default()) {
            Some(found) => {
                let start = self.split_oversized(line.bytes, line.start, from + found, frames);
                self.push_line(line.bytes, start, from + found, line.marks, frames);
                Some(from + found + 1)
            }
            None => self.partial_line(line, frames),
        }
    }

    /// Skips the rest of a frame that was cut.
    pub(super) fn skip_rest(&mut self, bytes: &[u8], at: usize, delimiter: Delimiter) -> usize {
        match self.skip {
            Skip::Nothing => at,
            Skip::Line => match delimiter.find(&bytes[at..]) {
                Some(found) => {
                    self.skip = Skip::Nothing;
                    at + found + 1
                }
                None => bytes.len(),
            },
            Skip::Bytes(count) => {
                let here = count.min((bytes.len() - at) as u64);
                self.skip = if here == count { Skip::Nothing } else { Skip::Bytes(count - here) };
                at + here as usize
            }
        }
    }

    /// Cuts a line that is too long before its end was seen; else remembers how far it was searched.
    fn partial_line(&mut self, line: Line<'_>, frames: &mut Vec<Frame>) -> Option<usize> {
        let line = Line { start: self.text_start(line.bytes, line.start, line.bytes.len()), ..line };
        let length = line.bytes.len() - line.start;
        if length <= self.message_bytes_max {
            self.searched = length;
            return (self.framing == Framing::Nul).then_some(line.start);
        }
        if self.oversize == Oversize::Split {
            let start = self.split_oversized(line.bytes, line.start, line.bytes.len(), frames);
            self.searched = line.bytes.len() - start;
            return Some(start);
        }
        self.push_line(line.bytes, line.start, line.bytes.len(), line.marks, frames);
        self.skip = Skip::Line;
        Some(line.bytes.len())
    }

    /// Returns the offset of the first byte of a line's text: a line feed that some senders put after their NUL is not
    /// part of the next line.
    #[inline]
    fn text_start(&self, bytes: &[u8], start: usize, end: usize) -> usize {
        if self.framing != Framing::Nul {
            return start;
        }
        start + bytes[start..end].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count()
    }

    /// With [`Oversize::Split`], makes frames of all but the last part of a long line, and returns the offset of that.
    fn split_oversized(&self, bytes: &[u8], start: usize, end: usize, frames: &mut Vec<Frame>) -> usize {
        let mut start = start;
        if self.oversize == Oversize::Split {
            while end - start > self.message_bytes_max {
                // One byte more than fits makes `push_line` cut and mark it.
                self.push_line(bytes, start, start + self.message_bytes_max + 1, Marks::NONE, frames);
                start = self.text_start(bytes, start + self.message_bytes_max, end);
            }
        }
        start
    }
}
