//! Lines that belong together as one frame: `multi-line-mode()`.
//!
//! In: the bytes of one stream, split anywhere. Out: frames with the line feeds inside. Incomplete messages stay
//! in the caller's buffer, so that a file's position is always between two messages.
//! Holds: how much of the buffer is examined. Limits: a message above the limit ends there and is marked; the
//! rest of it is skipped, or is a separate message with [`Oversize::Split`].

use super::{
    Frame, Framer, Oversize, Skip,
    delimiter::Delimiter,
    joining::Joining,
    multiline::{LineUse, Preceding},
};
use memchr::memchr;
use message::{Mark, Marks};

impl Framer {
    pub(super) fn split_joined(
        &mut self,
        joining: &mut Joining,
        bytes: &[u8],
        frames: &mut Vec<Frame>,
    ) -> usize {
        let searched = std::mem::take(&mut self.searched);
        let mut start = self.skip_rest(bytes, 0, Delimiter::LineFeed);
        if self.skip != Skip::Nothing {
            return start;
        }
        let mut line = start.max(joining.judged);
        let mut from = line.max(searched);
        while let Some(found) = memchr(b'\n', bytes.get(from..).unwrap_or_default()) {
            let end = from + found;
            start = self.join(joining, bytes, (start, line..end), frames);
            line = end + 1;
            from = line;
            // A message that ended takes its line feed along.
            if start > end {
                start = line;
            }
        }
        let partial = &bytes[line..];
        let is_long = !partial.is_empty() && bytes.len() - start > self.message_bytes_max;
        if is_long && line > start && !joining.joiner.continues(partial) {
            // The line may begin another message, which is known at its end: it stays. If it does not, it is the rest
            // of this one.
            let mut marks = Marks::NONE;
            marks.add(Mark::Truncated);
            self.push_line(bytes, start, line, marks, frames);
            joining.dropping = self.oversize == Oversize::Cut;
            start = line;
        }
        if line < bytes.len() && bytes.len() - start > self.message_bytes_max {
            self.cut(bytes, start, bytes.len(), frames);
            if self.oversize == Oversize::Cut {
                self.skip = Skip::Line;
                joining.dropping = true;
            }
            (start, line) = (bytes.len(), bytes.len());
        }
        joining.judged = line - start;
        self.searched = bytes.len() - start;
        start
    }

    /// Adds one line to the message that begins at `start`. Returns the offset at which the message that is open
    /// then begins.
    fn join(
        &self,
        joining: &mut Joining,
        bytes: &[u8],
        (start, line): (usize, std::ops::Range<usize>),
        frames: &mut Vec<Frame>,
    ) -> usize {
        let mut start = start;
        let begun = start < line.start;
        let text = &bytes[line.clone()];
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let preceding = match begun || joining.dropping {
            true => Preceding::OpenMessage,
            false => Preceding::Nothing,
        };
        let joined = joining.joiner.judge(text, preceding);
        if joined.closes {
            self.push_line(bytes, start, line.start, Marks::NONE, frames);
            start = line.start;
            joining.dropping = false;
        }
        match joined.line {
            LineUse::Skipped => return line.end + 1,
            _ if joining.dropping => {
                joining.dropping = joined.line == LineUse::Open;
                return line.end + 1;
            }
            LineUse::Ends(size) => {
                self.cut(bytes, start, line.start + size, frames);
                return line.end + 1;
            }
            LineUse::Open => {}
        }
        if line.end - start > self.message_bytes_max {
            self.cut(bytes, start, line.end, frames);
            joining.dropping = self.oversize == Oversize::Cut;
            return line.end + 1;
        }
        start
    }

    /// Adds a message that may be longer than the limit.
    fn cut(&self, bytes: &[u8], start: usize, end: usize, frames: &mut Vec<Frame>) {
        let mut start = start;
        while self.oversize == Oversize::Split && end - start > self.message_bytes_max {
            self.push_line(bytes, start, start + self.message_bytes_max + 1, Marks::NONE, frames);
            start += self.message_bytes_max;
        }
        self.push_line(bytes, start, end, Marks::NONE, frames);
    }

    /// Ends the stream, or the waiting for more: an open message is complete.
    pub(super) fn finish_joined(&mut self, joining: &mut Joining, rest: &[u8], frames: &mut Vec<Frame>) {
        let line = joining.judged.min(rest.len());
        let mut start = 0;
        if line < rest.len() {
            start = self.join(joining, rest, (start, line..rest.len()), frames);
        }
        if start < rest.len() {
            self.cut(rest, start, rest.len(), frames);
        }
        joining.joiner.reset();
        joining.judged = 0;
        joining.dropping = false;
    }
}
