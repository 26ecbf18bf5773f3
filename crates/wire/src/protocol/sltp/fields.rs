//! Fields of a handshake: `TYPE LENGTH VALUE`; and numbers read from the front of a payload.
//!
//! In: bytes. Out: values. Holds: nothing. Limits: [`FIELDS_MAX`] fields of a frame.

use super::frame::FrameError;

/// Most fields of a frame.
const FIELDS_MAX: usize = 64;
/// A field with this bit must be known to the reader; others are skipped by a reader that does not know them.
const CRITICAL: u16 = 0x8000;

/// Appends a field.
pub(super) fn put_field(out: &mut Vec<u8>, kind: u16, value: &[u8]) {
    out.extend_from_slice(&kind.to_le_bytes());
    out.extend_from_slice(&(value.len() as u32).to_le_bytes());
    out.extend_from_slice(value);
}

/// Calls `each` with the fields of a payload. It returns `None` for a malformed value, and `Some(false)` for a field
/// that it does not know.
pub(super) fn each_field(
    payload: &[u8],
    malformed: FrameError,
    mut each: impl FnMut(u16, &[u8]) -> Option<bool>,
) -> Result<(), FrameError> {
    let mut rest = Taker(payload);
    for _ in 0..FIELDS_MAX {
        if rest.0.is_empty() {
            return Ok(());
        }
        let (kind, value) = rest.field().ok_or(malformed)?;
        let is_known = each(kind, value).ok_or(malformed)?;
        if !is_known && kind & CRITICAL != 0 {
            return Err(FrameError::UnknownField(kind));
        }
    }
    if rest.0.is_empty() { Ok(()) } else { Err(malformed) }
}

/// Reads numbers from the front of a slice; `None` when it is too short.
pub(super) struct Taker<'a>(pub(super) &'a [u8]);

impl<'a> Taker<'a> {
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.first_chunk().copied()
    }

    pub(super) fn one(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(super) fn four(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn eight(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn field(&mut self) -> Option<(u16, &'a [u8])> {
        let kind = u16::from_le_bytes(self.array()?);
        let size = self.four()? as usize;
        Some((kind, self.bytes(size)?))
    }

    /// Returns a value of a whole slice.
    pub(super) fn whole<T>(bytes: &'a [u8], read: impl FnOnce(&mut Taker<'a>) -> Option<T>) -> Option<T> {
        let mut taker = Taker(bytes);
        let value = read(&mut taker)?;
        taker.0.is_empty().then_some(value)
    }
}

/// Returns the text of a peer, short and without control characters.
pub(super) fn text(bytes: &[u8]) -> String {
    /// Longest text of a peer.
    const TEXT_BYTES_MAX: usize = 200;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(TEXT_BYTES_MAX)]);
    text.chars().filter(|letter| !letter.is_control()).collect()
}
