//! A set of documents, ascending: bit-packed differences in groups of 128, or one bit per document when that is
//! smaller.
//!
//! In: documents. Out: bytes, and from them bits of a bitmap. The count is stored by the owner.
//! Limits: documents below the segment's length; anything else is damage.

use super::{Damage, FileSlice, Reader, bits, ordinals::GROUP, put_varint};
use bitpacking::{BitPacker, BitPacker4x};
use lookup::Bitmap;

const PACKED: u8 = 0;
const BITS: u8 = 1;
/// Stored in place of a group's width: the rest are varints.
const VARINTS: u8 = 255;

/// Appends documents of a segment of `length` documents.
pub(crate) fn encode(documents: &[u32], length: u32, out: &mut Vec<u8>) {
    debug_assert!(documents.is_sorted_by(|a, b| a < b), "documents in order");
    debug_assert!(documents.last().is_none_or(|last| *last < length), "a document beyond the segment's end");
    let start = out.len();
    out.push(PACKED);
    let packer = BitPacker4x::new();
    let mut packed = [0; GROUP * 4];
    let mut before = None;
    let groups = documents.chunks_exact(GROUP);
    let rest = groups.remainder();
    for group in groups {
        let width = packer.num_bits_strictly_sorted(before, group);
        let size = packer.compress_strictly_sorted(before, group, &mut packed, width);
        out.push(width);
        out.extend_from_slice(&packed[..size]);
        before = group.last().copied();
    }
    encode_rest(rest, before, out);
    let bit_bytes = (length as usize).div_ceil(64) * 8;
    if out.len() - start > bit_bytes {
        out.truncate(start);
        out.push(BITS);
        let mut bitmap = Bitmap::none(length);
        documents.iter().for_each(|document| bitmap.add(*document));
        bitmap.words().iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    }
}

/// The last, partial group: varints or a fixed width, whichever is smaller.
fn encode_rest(rest: &[u32], before: Option<u32>, out: &mut Vec<u8>) {
    if rest.is_empty() {
        return;
    }
    let mut gaps = [0; GROUP];
    let mut next = before.map_or(0, |document| document + 1);
    let (mut all, mut varint_bytes) = (0u32, 0);
    for (gap, document) in gaps.iter_mut().zip(rest) {
        *gap = document - next;
        all |= *gap;
        varint_bytes += (38 - (*gap | 1).leading_zeros() as usize) / 7;
        next = document + 1;
    }
    let gaps = &gaps[..rest.len()];
    let width = 32 - all.leading_zeros();
    if varint_bytes <= (gaps.len() * width as usize).div_ceil(8) {
        out.push(VARINTS);
        gaps.iter().for_each(|gap| put_varint(out, u64::from(*gap)));
        return;
    }
    out.push(width as u8);
    bits::encode(gaps.iter().map(|gap| u64::from(*gap)), width, out);
}

/// Appends `count` documents of a segment of `length` documents to a list, in order.
pub(crate) fn list(part: FileSlice<'_>, count: u64, length: u32, out: &mut Vec<u32>) -> Result<(), Damage> {
    // A bitmap is wasteful for a short list, but this keeps the decoding of postings in one function.
    let mut bitmap = Bitmap::none(length);
    decode(part, count, &mut bitmap)?;
    out.extend(bitmap.iter());
    Ok(())
}

/// Adds `count` documents to a bitmap.
pub(crate) fn decode(part: FileSlice<'_>, count: u64, bitmap: &mut Bitmap) -> Result<(), Damage> {
    let mut reader = part.reader();
    if reader.byte()? == BITS {
        return decode_bits(&mut reader, bitmap);
    }
    if count > u64::from(bitmap.len()) {
        return Err(reader.damage("more documents than the segment has"));
    }
    let packer = BitPacker4x::new();
    let mut left = count as usize;
    let mut before = None;
    let mut group = [0; GROUP];
    while left >= GROUP {
        let width = reader.byte()?;
        if width > 32 {
            return Err(reader.damage("numbers of more than 32 bits"));
        }
        let packed = reader.take(usize::from(width) * GROUP / 8)?;
        packer.decompress_strictly_sorted(before, packed, &mut group, width);
        add_group(bitmap, &group, &reader)?;
        before = group.last().copied();
        left -= GROUP;
    }
    decode_rest(&mut reader, left, before, bitmap)
}

fn decode_bits(reader: &mut Reader<'_>, bitmap: &mut Bitmap) -> Result<(), Damage> {
    let tail = bitmap.len() & 63;
    let last = bitmap.words().len().saturating_sub(1);
    for index in 0..bitmap.words().len() {
        let word = reader.u64()?;
        if index == last && tail != 0 && word >> tail != 0 {
            return Err(reader.damage("a document beyond the segment's end"));
        }
        bitmap.words_mut()[index] |= word;
    }
    Ok(())
}

fn decode_rest(
    reader: &mut Reader<'_>,
    left: usize,
    before: Option<u32>,
    bitmap: &mut Bitmap,
) -> Result<(), Damage> {
    if left == 0 {
        return Ok(());
    }
    let width = reader.byte()?;
    let mut next = before.map_or(0, |document| u64::from(document) + 1);
    if width == VARINTS {
        for _ in 0..left {
            let document = next.saturating_add(reader.varint()?);
            add(bitmap, u32::try_from(document).unwrap_or(u32::MAX), reader)?;
            next = document + 1;
        }
        return Ok(());
    }
    if width > 32 {
        return Err(reader.damage("numbers of more than 32 bits"));
    }
    let width = u32::from(width);
    let packed = reader.take(bits::size_of(left, width))?;
    for index in 0..left {
        let document = next + bits::at_narrow(packed, index, width);
        add(bitmap, u32::try_from(document).unwrap_or(u32::MAX), reader)?;
        next = document + 1;
    }
    Ok(())
}

/// Adds a whole group: its bounds are compared once, not for each document.
#[inline]
fn add_group(bitmap: &mut Bitmap, group: &[u32; GROUP], reader: &Reader<'_>) -> Result<(), Damage> {
    // Segments have fewer than 2^31 documents: the highest bit is sufficient. Comparing takes longer.
    let last = bitmap.len().wrapping_sub(1);
    let beyond = group.iter().fold(last, |beyond, document| beyond | document | last.wrapping_sub(*document));
    if beyond >> 31 != 0 {
        return Err(reader.damage("a document beyond the segment's end"));
    }
    let words = bitmap.words_mut();
    for document in group {
        words[(document >> 6) as usize] |= 1 << (document & 63);
    }
    Ok(())
}

#[inline]
fn add(bitmap: &mut Bitmap, document: u32, reader: &Reader<'_>) -> Result<(), Damage> {
    if document >= bitmap.len() {
        return Err(reader.damage("a document beyond the segment's end"));
    }
    bitmap.words_mut()[(document >> 6) as usize] |= 1 << (document & 63);
    Ok(())
}
