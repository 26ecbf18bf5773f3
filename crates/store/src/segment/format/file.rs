//! The file around the parts: header, sections, checksums of 64 KiB chunks, footer.
//!
//! In: sections in any order. Out: one file, and its sections again, each chunk checked before its first use.
//! Holds: the mapped file; one bit a chunk: whether it was checked.
//! Limits: versions and algorithms that are not known are refused.

mod map;
mod write;

use super::{Damage, Part, Reader};
use map::Bytes;
use std::{
    io,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};
pub(crate) use write::FileWriter;

/// First bytes of a segment.
const MAGIC: [u8; 8] = *b"DuramSeg";
/// Last bytes of a segment.
const END_MAGIC: [u8; 8] = *b"DuramEnd";
/// Version of the format.
const VERSION: u16 = 1;
/// Bytes before the first section. The key-wrap area is reserved and zero.
const HEADER_BYTES: usize = 512;
/// Bytes behind the footer.
const TRAILER_BYTES: usize = 32;
/// Bytes that one checksum covers; also the unit that encryption will use.
const CHUNK_BYTES: usize = 1 << CHUNK_SHIFT;
const CHUNK_SHIFT: u8 = 16;
/// Checksum: CRC-32 (IEEE).
const CHECKSUM_CRC32: u8 = 1;
/// Encryption: none.
const ENCRYPTION_NONE: u8 = 0;
const SECTION_BYTES: usize = 24;
const SECTIONS_MAX: usize = 64;

/// What a section holds. Numbers are never used again for something else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u16)]
pub(crate) enum Section {
    /// Counts, times, directory of columns.
    Meta = 1,
    /// Dictionary that the blocks were compressed with.
    Compression = 2,
    /// Compressed blocks of frames.
    Blocks = 3,
    /// Where each block lies.
    BlockIndex = 4,
    /// Columns, as the directory says.
    Columns = 5,
    /// Terms of texts and values.
    Terms = 6,
    /// Documents of terms and templates.
    Postings = 7,
    /// Frequent tokens and their sequences.
    Templates = 8,
}

#[derive(Clone, Copy)]
struct Entry {
    section: u16,
    offset: u64,
    length: u64,
}

/// An open segment file.
pub(crate) struct SegmentFile {
    bytes: Bytes,
    sections: Vec<Entry>,
    checksums: Vec<u32>,
    /// Bit a chunk: its checksum was compared.
    checked: Vec<AtomicU64>,
    /// Where the chunks end and the footer begins.
    chunks_end: usize,
}

impl SegmentFile {
    /// Maps a file and reads header and footer.
    pub(crate) fn open(path: &Path) -> io::Result<Result<SegmentFile, Damage>> {
        Ok(SegmentFile::of(Bytes::map(path)?))
    }

    /// The same for bytes in memory.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<SegmentFile, Damage> {
        SegmentFile::of(Bytes::Owned(bytes))
    }

    fn of(bytes: Bytes) -> Result<SegmentFile, Damage> {
        let whole = Part { bytes: bytes.as_slice(), offset: 0 };
        let size = whole.bytes.len();
        check_header(&whole)?;
        let footer = find_footer(&whole)?;
        let chunks_end = footer.offset as usize;
        let mut reader = footer.reader();
        let sections = read_sections(&mut reader, chunks_end)?;
        let count = (chunks_end - HEADER_BYTES).div_ceil(CHUNK_BYTES);
        if reader.u32()? as usize != count {
            return Err(reader.damage("wrong number of checksums"));
        }
        let checksums = (0..count).map(|_| reader.u32()).collect::<Result<Vec<u32>, Damage>>()?;
        debug_assert!(size >= chunks_end, "the footer was found inside the file");
        let checked = (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(SegmentFile { sections, checksums, checked, chunks_end, bytes })
    }

    /// Size of the file.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.as_slice().len() as u64
    }

    /// A section, its bytes not yet checked; empty when the file has none.
    pub(crate) fn place(&self, section: Section) -> Place {
        let entry = self.sections.iter().find(|entry| entry.section == section as u16);
        entry.map_or(Place { offset: HEADER_BYTES, length: 0 }, |entry| Place {
            offset: entry.offset as usize,
            length: entry.length as usize,
        })
    }

    /// A whole section, checked.
    pub(crate) fn section(&self, section: Section) -> Result<Part<'_>, Damage> {
        let place = self.place(section);
        self.slice(place, 0, place.length)
    }

    /// A whole section of which nothing is checked yet: see [`SegmentFile::check_part`].
    pub(crate) fn whole(&self, section: Section) -> Result<Part<'_>, Damage> {
        let place = self.place(section);
        Part { bytes: self.bytes.as_slice(), offset: 0 }.piece(place.offset, place.length)
    }

    /// Checks the chunks that a part of this file lies in.
    #[inline]
    pub(crate) fn check_part(&self, part: &Part<'_>) -> Result<(), Damage> {
        if part.bytes.is_empty() {
            return Ok(());
        }
        let outside = || part.damage(0, "a piece lies outside its section");
        let start = (part.offset as usize).checked_sub(HEADER_BYTES).ok_or_else(outside)?;
        let (first, last) = (start >> CHUNK_SHIFT, (start + part.bytes.len() - 1) >> CHUNK_SHIFT);
        (first..=last).try_for_each(|chunk| self.check(chunk))
    }

    /// A piece of a section, checked.
    pub(crate) fn slice(&self, place: Place, start: usize, length: usize) -> Result<Part<'_>, Damage> {
        let whole = Part { bytes: self.bytes.as_slice(), offset: 0 };
        let part = whole.piece(place.offset, place.length)?.piece(start, length)?;
        self.check_part(&part)?;
        Ok(part)
    }

    /// Checks every chunk, also those checked before.
    pub(crate) fn check_all(&self) -> Result<(), Damage> {
        self.checked.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        (0..self.checksums.len()).try_for_each(|chunk| self.check(chunk))
    }

    /// Compares the checksum of a chunk unless that was done before.
    fn check(&self, chunk: usize) -> Result<(), Damage> {
        let start = HEADER_BYTES + (chunk << CHUNK_SHIFT);
        let damage = |what| Damage { offset: start as u64, what };
        let word = self.checked.get(chunk >> 6).ok_or(damage("a chunk beyond the last"))?;
        let bit = 1 << (chunk & 63);
        if word.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        let end = (start + CHUNK_BYTES).min(self.chunks_end);
        let bytes = self.bytes.as_slice().get(start..end);
        let bytes = bytes.ok_or(damage("a chunk beyond the last"))?;
        if self.checksums.get(chunk) != Some(&crc32fast::hash(bytes)) {
            return Err(damage("checksum mismatch"));
        }
        word.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }
}

/// Where a section lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) offset: usize,
    pub(crate) length: usize,
}

fn check_header(whole: &Part<'_>) -> Result<(), Damage> {
    let header = whole.piece(0, HEADER_BYTES).map_err(|_| whole.damage(0, "too short for a segment"))?;
    let mut reader = header.reader();
    if reader.take(MAGIC.len())? != MAGIC {
        return Err(whole.damage(0, "not a segment"));
    }
    let checksum = header.piece(HEADER_BYTES - 4, 4)?.reader().u32()?;
    if crc32fast::hash(&header.bytes[..HEADER_BYTES - 4]) != checksum {
        return Err(whole.damage(0, "checksum mismatch in the header"));
    }
    if reader.u16()? != VERSION {
        return Err(whole.damage(MAGIC.len(), "written by a newer version"));
    }
    let known = [CHECKSUM_CRC32, ENCRYPTION_NONE, CHUNK_SHIFT];
    if usize::from(reader.u16()?) != HEADER_BYTES || reader.take(3)? != known {
        return Err(whole.damage(MAGIC.len() + 2, "an unknown checksum, encryption or chunk size"));
    }
    Ok(())
}

/// The footer, by way of the trailer, its checksum compared.
fn find_footer<'a>(whole: &Part<'a>) -> Result<Part<'a>, Damage> {
    let start = whole.bytes.len().saturating_sub(TRAILER_BYTES);
    let mut reader = whole.piece(start, TRAILER_BYTES)?.reader();
    let (offset, length, checksum) = (reader.u64()?, reader.u32()?, reader.u32()?);
    let size = reader.u64()?;
    if reader.take(END_MAGIC.len())? != END_MAGIC || size != whole.bytes.len() as u64 {
        return Err(whole.damage(start, "the end is missing"));
    }
    let ends = offset.checked_add(u64::from(length));
    if offset < HEADER_BYTES as u64 || ends != Some(start as u64) {
        return Err(whole.damage(start, "the footer lies outside the file"));
    }
    let footer = whole.piece(offset as usize, length as usize)?;
    if crc32fast::hash(footer.bytes) != checksum {
        return Err(footer.damage(0, "checksum mismatch in the footer"));
    }
    Ok(footer)
}

fn read_sections(reader: &mut Reader<'_>, chunks_end: usize) -> Result<Vec<Entry>, Damage> {
    let count = reader.u32()? as usize;
    if count > SECTIONS_MAX {
        return Err(reader.damage("more sections than there can be"));
    }
    let mut sections = Vec::with_capacity(count);
    for _ in 0..count {
        let (section, compression, encryption) = (reader.u16()?, reader.byte()?, reader.byte()?);
        let _reserved = reader.u32()?;
        let (offset, length) = (reader.u64()?, reader.u64()?);
        if compression != 0 || encryption != ENCRYPTION_NONE {
            return Err(reader.damage("a section with unknown compression or encryption"));
        }
        let ends = offset.checked_add(length);
        if offset < HEADER_BYTES as u64 || ends.is_none_or(|end| end > chunks_end as u64) {
            return Err(reader.damage("a section lies outside the file"));
        }
        sections.push(Entry { section, offset, length });
    }
    Ok(sections)
}
