//! The footer after the chunks: positions of the sections, hashes of the chunks, recipients, the record.
//!
//! In: bytes. Out: the same as values; the digest of the contents, which covers the header and all of this but the
//! record. Limits: every number is checked against the bytes that are there.

use super::{
    header::{Encryption, HEADER_BYTES, Header},
    section::{CHUNK_BYTES, Section},
};
use crate::format::{Damage, FileSlice, Reader};
use evidence::Digest;

/// Last bytes of a segment.
const END_MAGIC: [u8; 8] = *b"DuramEnd";
/// Bytes after the footer.
const TRAILER_BYTES: usize = 32;
const SECTION_BYTES: usize = 24;
const SECTIONS_MAX: usize = 64;
/// Bytes of a chunk's authentication tag.
pub(super) const TAG_BYTES: usize = 16;

/// Position of a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) section: u16,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// The footer.
#[derive(Debug, Default)]
pub(super) struct Footer {
    pub(super) sections: Vec<Entry>,
    pub(super) checksums: Vec<u32>,
    /// SHA-256 of each chunk as it is stored; none in version 1.
    pub(super) hashes: Vec<Digest>,
    /// Authentication tags of encrypted chunks.
    pub(super) tags: Vec<[u8; TAG_BYTES]>,
    /// The segment's key, wrapped for each recipient.
    pub(super) envelope: Vec<u8>,
    /// The record of the chain of evidence.
    pub(super) record: Vec<u8>,
    /// Digest of header and footer up to the record.
    pub(super) contents: Digest,
    /// Offset after the last chunk.
    pub(super) chunks_end: usize,
}

impl Footer {
    /// Returns the bytes that the contents' digest covers in addition to the header.
    fn encode_contents(&self) -> Vec<u8> {
        let mut out =
            Vec::with_capacity(self.sections.len() * SECTION_BYTES + self.checksums.len() * 52 + 64);
        out.extend_from_slice(&(self.sections.len() as u32).to_le_bytes());
        for entry in &self.sections {
            out.extend_from_slice(&entry.section.to_le_bytes());
            out.extend_from_slice(&[0; 6]);
            out.extend_from_slice(&entry.offset.to_le_bytes());
            out.extend_from_slice(&entry.length.to_le_bytes());
        }
        out.extend_from_slice(&(self.checksums.len() as u32).to_le_bytes());
        self.checksums.iter().for_each(|checksum| out.extend_from_slice(&checksum.to_le_bytes()));
        self.hashes.iter().for_each(|hash| out.extend_from_slice(&hash.0));
        self.tags.iter().for_each(|tag| out.extend_from_slice(tag));
        out.extend_from_slice(&(self.envelope.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.envelope);
        out
    }

    /// The footer's bytes and the trailer's, with the record that `record` makes of the contents' digest.
    pub(super) fn encode(&self, header: &[u8], record: &dyn Fn(Digest) -> Vec<u8>) -> Vec<u8> {
        let chunks = (self.chunks_end - HEADER_BYTES).div_ceil(CHUNK_BYTES);
        assert_eq!(self.checksums.len(), chunks, "a checksum for each chunk");
        assert!(self.sections.len() <= SECTIONS_MAX, "{} sections", self.sections.len());
        let mut out = self.encode_contents();
        let record = record(Digest::of(&[header, &out].concat()));
        out.extend_from_slice(&(record.len() as u32).to_le_bytes());
        out.extend_from_slice(&record);
        let (checksum, length) = (crc32fast::hash(&out), out.len() as u32);
        out.extend_from_slice(&(self.chunks_end as u64).to_le_bytes());
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&checksum.to_le_bytes());
        out.extend_from_slice(
            &(self.chunks_end as u64 + u64::from(length) + TRAILER_BYTES as u64).to_le_bytes(),
        );
        out.extend_from_slice(&END_MAGIC);
        out
    }

    /// Reads the footer of a file with this header.
    pub(super) fn read(whole: &FileSlice<'_>, header: &Header) -> Result<Footer, Damage> {
        let part = find(whole)?;
        let chunks_end = part.offset as usize;
        let mut reader = part.reader();
        let sections = read_sections(&mut reader, chunks_end)?;
        let count = (chunks_end - HEADER_BYTES).div_ceil(CHUNK_BYTES);
        if reader.u32()? as usize != count {
            return Err(reader.damage("wrong number of checksums"));
        }
        let checksums = (0..count).map(|_| reader.u32()).collect::<Result<Vec<u32>, Damage>>()?;
        let mut footer = Footer { sections, checksums, chunks_end, ..Footer::default() };
        if header.version == 1 {
            return Ok(footer);
        }
        for _ in 0..count {
            let mut hash = [0; 32];
            hash.copy_from_slice(reader.take(32)?);
            footer.hashes.push(Digest(hash));
        }
        let tags = match header.encryption {
            Encryption::None => 0,
            Encryption::Aes256Gcm => count,
        };
        for _ in 0..tags {
            let mut tag = [0; TAG_BYTES];
            tag.copy_from_slice(reader.take(TAG_BYTES)?);
            footer.tags.push(tag);
        }
        let length = reader.u32()? as usize;
        footer.envelope = reader.take(length)?.to_vec();
        let covered = &part.bytes[..reader.position()];
        footer.contents = Digest::of(&[&whole.bytes[..HEADER_BYTES], covered].concat());
        let length = reader.u32()? as usize;
        footer.record = reader.take(length)?.to_vec();
        if !reader.is_done() {
            return Err(reader.damage("the footer is longer than its parts"));
        }
        debug_assert_eq!(footer.hashes.len(), footer.checksums.len(), "a chunk without a hash");
        Ok(footer)
    }

    /// Finds the entry of a section.
    pub(super) fn find(&self, section: Section) -> Option<&Entry> {
        self.sections.iter().find(|entry| entry.section == section as u16)
    }
}

/// Finds the footer's bytes through the trailer, and compares their checksum.
fn find<'a>(whole: &FileSlice<'a>) -> Result<FileSlice<'a>, Damage> {
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
        if compression != 0 || encryption != 0 {
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
