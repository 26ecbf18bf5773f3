//! The byte that ends a line.
//!
//! In: bytes. Out: the offset of the first delimiter. Holds nothing.

use memchr::{memchr, memchr2};

/// The byte that ends a line.
#[derive(Clone, Copy)]
pub(super) enum Delimiter {
    LineFeed,
    Nul,
    Either,
}

impl Delimiter {
    /// Returns the offset of the first delimiter.
    #[inline]
    pub(super) fn find(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Delimiter::LineFeed => memchr(b'\n', bytes),
            Delimiter::Nul => memchr(0, bytes),
            Delimiter::Either => memchr2(b'\n', 0, bytes),
        }
    }
}
