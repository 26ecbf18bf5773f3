//! The characters of a text, in 32 bits.
//!
//! In: text. Out: its characters, and thereby which texts it cannot contain. Holds: a bit for each class of characters.
//! Limits: `a` to `z` are separate classes; all digits are one, and all bytes from 0x80 on are one.
//! Segments store these bits on disk (`docs/format/segment.md`): they never change.

/// The bit of each byte.
const BITS: [u32; 256] = {
    let mut bits = [1 << 30; 256];
    let mut byte = 0;
    while byte < bits.len() {
        match byte as u8 {
            letter @ b'a'..=b'z' => bits[byte] = 1 << (letter - b'a'),
            letter @ b'A'..=b'Z' => bits[byte] = 1 << (letter - b'A'),
            b'0'..=b'9' => bits[byte] = 1 << 26,
            b'.' => bits[byte] = 1 << 27,
            b'-' => bits[byte] = 1 << 28,
            b'_' => bits[byte] = 1 << 29,
            0x80.. => bits[byte] = 1 << 31,
            _ => {}
        }
        byte += 1;
    }
    bits
};

/// The characters of one or more texts, in classes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CharFilter(u32);

impl CharFilter {
    /// The characters of a text.
    #[inline]
    pub fn of(text: &[u8]) -> CharFilter {
        CharFilter(text.iter().fold(0, |bits, byte| bits | BITS[usize::from(*byte)]))
    }

    /// Makes the filter from the bits that a segment stores.
    #[inline]
    pub fn from_bits(bits: u32) -> CharFilter {
        CharFilter(bits)
    }

    /// Returns the bits for storage in a segment.
    #[inline]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Adds the characters of other texts.
    #[inline]
    pub fn add(&mut self, other: CharFilter) {
        self.0 |= other.0;
    }

    /// Returns true when no text with these characters has all that are wanted.
    #[inline]
    pub fn cannot_contain(self, wanted: CharFilter) -> bool {
        wanted.0 & !self.0 != 0
    }
}
