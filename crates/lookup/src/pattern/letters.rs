//! Which letters a text has, in 32 bits.
//!
//! In: text. Out: its letters. Limits: `a` to `z` differ, digits are one, all bytes from 0x80 on are one.
//! Segments keep these bits on disk (`docs/format/segment.md`): they never change.

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

/// A bit for each letter that a text has.
#[inline]
pub fn letters(text: &[u8]) -> u32 {
    text.iter().fold(0, |letters, byte| letters | BITS[usize::from(*byte)])
}
