//! `<PRI>` at the start of a message (RFC 5424, section 6.2.1; RFC 3164, section 4.1.1).
//!
//! In: the bytes at its position. Out: the number and its length, or the fault. Holds nothing.
//! Limits: 0 to 191; other numbers are skipped, so that the rest of the header is not lost.

use message::Priority;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pri {
    /// No `<`.
    Missing,
    /// `<` without a number up to `>`.
    Malformed,
    /// A number, in or out of range, and where it ends.
    Of(Option<Priority>, usize),
}

#[inline]
pub(super) fn read(bytes: &[u8]) -> Pri {
    let [b'<', digits @ ..] = bytes else { return Pri::Missing };
    let mut number = 0_u32;
    for (index, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => number = (number * 10 + u32::from(byte - b'0')).min(100_000),
            b'>' => return Pri::Of(in_range(number), index + 2),
            _ => return Pri::Malformed,
        }
    }
    Pri::Of(in_range(number), bytes.len())
}

fn in_range(number: u32) -> Option<Priority> {
    (number <= u32::from(Priority::MAX)).then_some(Priority(number as u16))
}
