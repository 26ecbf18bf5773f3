//! Short texts of headers, eight bytes at a time: a loop over bytes costs a branch misprediction at its end, whose
//! position is unpredictable.
//!
//! In: the bytes from a position on. Out: where a word ends; whether two texts are the same. Holds nothing.
//! Limits: none; the last bytes of a line, fewer than eight, are read one by one.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Returns the offset of the first byte that is one of three.
#[inline]
pub(super) fn first_of(stops: [u8; 3], bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // The lowest mark is that of a byte that is one of them; marks above it may be wrong.
        let marks = stops.iter().fold(0, |marks, stop| {
            let same_is_zero = word ^ (LOW * u64::from(*stop));
            marks | same_is_zero.wrapping_sub(LOW) & !same_is_zero & HIGH
        });
        if marks != 0 {
            return Some(index * 8 + marks.trailing_zeros() as usize / 8);
        }
    }
    let found = rest.iter().position(|byte| stops.contains(byte))?;
    Some(words.len() * 8 + found)
}

/// Returns true when two texts are equal; for texts of 8 to 24 bytes.
#[inline]
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    const MIDDLE: std::ops::Range<usize> = 8..16;
    match (one.first_chunk::<8>(), one.last_chunk::<8>()) {
        (Some(first), Some(last)) if one.len() == other.len() && one.len() <= 24 => {
            other.first_chunk() == Some(first)
                && other.last_chunk() == Some(last)
                && (one.len() <= 16 || one.get(MIDDLE) == other.get(MIDDLE))
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests;
