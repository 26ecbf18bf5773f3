//! Small numbers of one fixed width: the ordinals of a column's values.
//!
//! In: numbers. Out: groups of 128 packed with the bits that the largest needs; any group is found without an index.
//! Limits: 32 bits.

use super::{Damage, FileSlice};
use bitpacking::{BitPacker, BitPacker4x};

/// Numbers packed together.
pub(crate) const GROUP: usize = BitPacker4x::BLOCK_LEN;

/// Bits that numbers up to `largest` need.
pub(crate) fn width_of(largest: u32) -> u8 {
    (32 - largest.leading_zeros()) as u8
}

/// Bytes of a group of some width.
pub(crate) fn group_bytes(width: u8) -> usize {
    usize::from(width) * GROUP / 8
}

/// Appends numbers below 2^`width`.
pub(crate) fn encode(numbers: &[u32], width: u8, out: &mut Vec<u8>) {
    debug_assert!(
        numbers.iter().all(|number| width_of(*number) <= width),
        "a number of more than {width} bits"
    );
    if width == 0 {
        return;
    }
    let packer = BitPacker4x::new();
    let mut packed = [0; GROUP * 4];
    for group in numbers.chunks(GROUP) {
        let mut whole = [0; GROUP];
        whole[..group.len()].copy_from_slice(group);
        let size = packer.compress(&whole, &mut packed, width);
        out.extend_from_slice(&packed[..size]);
    }
}

/// Decodes group `index`. Entries after the last number are 0.
pub(crate) fn decode_group(
    part: &FileSlice<'_>,
    index: usize,
    width: u8,
    out: &mut [u32; GROUP],
) -> Result<(), Damage> {
    if width == 0 {
        out.fill(0);
        return Ok(());
    }
    if width > 32 {
        return Err(part.damage(0, "numbers of more than 32 bits"));
    }
    let size = group_bytes(width);
    let group = part.piece(index.saturating_mul(size), size)?;
    BitPacker4x::new().decompress(group.bytes, out, width);
    Ok(())
}
