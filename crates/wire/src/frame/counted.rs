//! Octet-counted framing (RFC 6587, section 3.4.1), and its per-frame mixture with lines.
//!
//! In: the bytes of one connection, split anywhere. Out: frames. A bad count makes a line: it runs to the next
//! line feed and is marked; the connection lives on.
//! Limits: a frame above the limit is cut, and the rest of its count skipped.

use super::{Frame, Framer, Framing, Skip, count::Count, delimiter::Delimiter, lines::Line};
use message::{Mark, Marks};

impl Framer {
    pub(super) fn split_counted(&mut self, bytes: &[u8], frames: &mut Vec<Frame>) -> usize {
        let mut at = 0;
        loop {
            at = self.skip_rest(bytes, at, Delimiter::Either);
            if self.skip != Skip::Nothing {
                return at;
            }
            // Some senders end their counted frames with a line feed all the same.
            while matches!(bytes.get(at), Some(b'\n' | b'\r' | 0)) {
                at += 1;
            }
            if at == bytes.len() {
                return at;
            }
            let next = match self.count_at(&bytes[at..]) {
                Count::Partial => return at,
                Count::Of { header, size } => self.counted_frame(bytes, at + header, size, frames),
                Count::Absent => {
                    let mut marks = Marks::NONE;
                    if self.framing == Framing::OctetCounted {
                        marks.add(Mark::BadFrame);
                    }
                    self.line_frame(Line { bytes, start: at, delimiter: Delimiter::Either, marks }, frames)
                }
            };
            match next {
                Some(next) => at = next,
                None => return at,
            }
        }
    }

    /// Reads the count at the start of a frame, when it counts as one.
    pub(super) fn count_at(&mut self, bytes: &[u8]) -> Count {
        let count = Count::read(bytes);
        if self.framing == Framing::OctetCounted || count == Count::Partial {
            return count;
        }
        let Count::Of { header, .. } = count else {
            self.began_counted.get_or_insert(false);
            return count;
        };
        if *self.began_counted.get_or_insert(true) {
            return count;
        }
        match bytes.get(header) {
            None => Count::Partial,
            Some(b'<') => count,
            Some(_) => Count::Absent,
        }
    }

    /// Adds the frame of `size` bytes at `start`; returns the offset of the next one, or `None` when the frame is not
    /// complete.
    fn counted_frame(
        &mut self,
        bytes: &[u8],
        start: usize,
        size: u64,
        frames: &mut Vec<Frame>,
    ) -> Option<usize> {
        let kept = size.min(self.message_bytes_max as u64);
        let end = start + kept as usize;
        if end > bytes.len() {
            return None;
        }
        let mut marks = Marks::NONE;
        if kept < size {
            marks.add(Mark::Truncated);
            self.skip = Skip::Bytes(size - kept);
        }
        self.push_block(bytes, start, end, marks, frames);
        Some(end)
    }
}
