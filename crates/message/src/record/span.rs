//! A span: a slice of the bytes of a batch.
//!
//! In: offset and length. Out: the same in eight bytes. Holds nothing else.
//! Limits: offsets below 2 GiB; the top bit of the offset is set when the bytes were made by us (`Batch::extra`)
//! and not received (`Batch::received_bytes`).

const EXTRA: u32 = 1 << 31;

/// A slice of a batch: of the bytes as received, or of the bytes that processing made.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    offset: u32,
    length: u32,
}

impl Span {
    /// The empty span.
    pub const EMPTY: Span = Span { offset: 0, length: 0 };

    /// Makes a slice of the received bytes. Both numbers must be below 2 GiB.
    #[inline]
    pub fn received(offset: usize, length: usize) -> Span {
        debug_assert!(offset < EXTRA as usize && length < EXTRA as usize, "batch of 2 GiB or more");
        Span { offset: offset as u32, length: length as u32 }
    }

    /// Makes a slice of the bytes made by processing.
    #[inline]
    pub fn extra(offset: usize, length: usize) -> Span {
        debug_assert!(offset < EXTRA as usize && length < EXTRA as usize, "batch of 2 GiB or more");
        Span { offset: offset as u32 | EXTRA, length: length as u32 }
    }

    /// Returns true when the bytes were made by processing and not received.
    #[inline]
    pub fn is_extra(self) -> bool {
        self.offset & EXTRA != 0
    }

    /// Returns the offset of the first byte within its byte area.
    #[inline]
    pub fn start(self) -> usize {
        (self.offset & !EXTRA) as usize
    }

    /// Returns the length in bytes.
    #[inline]
    pub fn len(self) -> usize {
        self.length as usize
    }

    /// Returns true when the span has no bytes.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// Returns the part of this span from `from` to `to` (both relative to its start). It is cut at the end of this
    /// span.
    #[inline]
    pub fn part(self, from: usize, to: usize) -> Span {
        let to = to.min(self.len());
        let from = from.min(to);
        Span { offset: self.offset + from as u32, length: (to - from) as u32 }
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let area = if self.is_extra() { "+" } else { "" };
        write!(f, "{area}{}..{}", self.start(), self.start() + self.len())
    }
}
