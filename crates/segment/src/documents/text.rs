//! The position of a message's text in its frame, in few bits.
//!
//! In: the position of the text, and the header's values. Out: two numbers that are nearly the same for all messages of
//! a dialect: how much longer the header is than the values in it, and how much follows the text.
//! Holds nothing. Limits: a text outside its frame is stored beside the frames, and the second number is -1.

use std::ops::Range;

/// The second number of a text that is not part of its frame.
pub(crate) const APART: i64 = -1;

/// The location of the text of a stored message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextLocation {
    /// A part of the frame.
    InFrame,
    /// Separate from the frame.
    Apart,
}

/// Length of the header's values, which varies between messages of one dialect.
pub(crate) struct Header<'a> {
    pub(crate) host: &'a [u8],
    pub(crate) program: &'a [u8],
    pub(crate) pid: &'a [u8],
    pub(crate) msgid: &'a [u8],
    pub(crate) pri: u16,
}

impl Header<'_> {
    fn expected(&self) -> i64 {
        let brackets = if self.pid.is_empty() { 0 } else { 2 };
        let digits = match self.pri {
            0..10 => 1,
            10..100 => 2,
            _ => 3,
        };
        let values = self.host.len() + self.program.len() + self.pid.len() + self.msgid.len();
        (values + brackets + digits) as i64
    }

    /// Returns the numbers of a text at a range of a frame.
    pub(crate) fn numbers(&self, text: Range<usize>, frame_bytes: usize) -> (i64, i64) {
        (text.start as i64 - self.expected(), (frame_bytes - text.end) as i64)
    }

    /// Returns the range of the text; `None` when the numbers do not fit the frame.
    pub(crate) fn range(&self, start: i64, tail: i64, frame_bytes: usize) -> Option<Range<usize>> {
        let start = usize::try_from(start.checked_add(self.expected())?).ok()?;
        let end = frame_bytes.checked_sub(usize::try_from(tail).ok()?)?;
        (start <= end).then_some(start..end)
    }
}
