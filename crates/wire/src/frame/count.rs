//! The count before an octet-counted frame: `MSG-LEN SP` (RFC 6587, section 3.4.1).
//!
//! In: the bytes at the start of a frame. Out: the count, or that there is none. Holds nothing.
//! Limits: [`COUNT_DIGITS_MAX`] digits and a value of [`COUNT_MAX`]; beyond, it is not a count.

/// Most digits of a count.
pub const COUNT_DIGITS_MAX: usize = 10;

/// Largest count that is believed. The rest of a cut frame is skipped by its count, so a liar could
/// otherwise make us skip gigabytes of later messages.
pub const COUNT_MAX: u64 = 1 << 30;

/// The count at the start of a frame, as far as it has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// Digits whose end has not arrived yet.
    Partial,
    /// A count: bytes of the count and its blank, and bytes of the message.
    Of {
        /// Bytes up to the message.
        header: usize,
        /// Bytes of the message.
        size: u64,
    },
    /// No count.
    Absent,
}

impl Count {
    pub(super) fn read(bytes: &[u8]) -> Count {
        let digits = bytes.iter().take(COUNT_DIGITS_MAX + 1).take_while(|byte| byte.is_ascii_digit()).count();
        if digits > COUNT_DIGITS_MAX {
            return Count::Absent;
        }
        let size = bytes[..digits].iter().fold(0, |size: u64, digit| size * 10 + u64::from(digit - b'0'));
        if size > COUNT_MAX {
            return Count::Absent;
        }
        match bytes.get(digits) {
            None => Count::Partial,
            Some(b' ') if digits > 0 => Count::Of { header: digits + 1, size },
            Some(_) => Count::Absent,
        }
    }
}
