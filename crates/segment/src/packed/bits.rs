//! Numbers of one width, bit behind bit from the low bits up.
//!
//! In: numbers of up to 64 bits. Out: bytes, and the numbers again. Limits: the last byte is filled with zeros.

/// Bits that numbers up to `largest` need.
pub(crate) fn width_of(largest: u64) -> u32 {
    64 - largest.leading_zeros()
}

/// Bytes that `count` numbers of a width take.
pub(crate) fn size_of(count: usize, width: u32) -> usize {
    count.saturating_mul(width as usize).div_ceil(8)
}

/// Appends numbers below 2^`width`.
pub(crate) fn encode(numbers: impl Iterator<Item = u64>, width: u32, out: &mut Vec<u8>) {
    let (mut bits, mut count) = (0u128, 0);
    for number in numbers {
        bits |= u128::from(number) << count;
        count += width;
        while count >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            count -= 8;
        }
    }
    if count > 0 {
        out.push(bits as u8);
    }
}

/// Number `index` of those that were encoded; what is behind the bytes reads as zeros.
#[inline]
pub(crate) fn at(bytes: &[u8], index: usize, width: u32) -> u64 {
    if width == 0 {
        return 0;
    }
    let bit = index * width as usize;
    let start = bytes.get(bit / 8..).unwrap_or_default();
    let word = match start.first_chunk::<16>() {
        Some(word) => u128::from_le_bytes(*word),
        None => start.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte)),
    };
    (word >> (bit % 8)) as u64 & (u64::MAX >> (64 - width))
}
