//! The file around the parts: header, sections, checksums and hashes of 64 KiB chunks, footer.
//!
//! In: sections in any order. Out: one file, and its sections again, each chunk checked before its first use, and
//! decrypted when it is encrypted. All access to the bytes of a segment goes through here.
//! Holds: the mapped file; one bit per chunk: whether it was checked; the decrypted chunks.
//! Limits: unknown versions and algorithms are refused.

mod footer;
mod header;
mod map;
mod plain;
mod section;
mod write;

use super::{Damage, FileSlice};
use evidence::{Digest, Keys};
use footer::Footer;
use header::HEADER_BYTES;
pub(crate) use header::{Encryption, Header};
use map::Bytes;
use plain::Plain;
use section::CHUNK_SHIFT;
pub(crate) use section::{CHUNK_BYTES, RECODED_VERSION, Section, VERSION};
use std::{
    fs::OpenOptions,
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::{
        Arc, RwLockReadGuard,
        atomic::{AtomicU64, Ordering},
    },
};
pub(crate) use write::{FileWriter, Footless};

/// An open segment file.
pub(crate) struct SegmentFile {
    /// As it is stored.
    bytes: Bytes,
    /// Decrypted chunks, when the file is encrypted and the key is loaded.
    plain: Option<Arc<Plain>>,
    header: Header,
    footer: Footer,
    /// A bit per chunk: set when its checksum was compared.
    checked: Vec<AtomicU64>,
}

/// A chunk that is not what was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BadChunk {
    /// Its number, from 0.
    pub(crate) chunk: usize,
    /// Its range in the file, bytes.
    pub(crate) place: std::ops::Range<u64>,
    pub(crate) what: &'static str,
}

impl SegmentFile {
    /// Maps a file and reads header and footer.
    pub(crate) fn open(path: &Path, keys: &Keys) -> io::Result<Result<SegmentFile, Damage>> {
        SegmentFile::of(Bytes::map(path)?, keys)
    }

    /// The same for bytes in memory.
    pub(crate) fn from_bytes(bytes: Vec<u8>, keys: &Keys) -> io::Result<Result<SegmentFile, Damage>> {
        SegmentFile::of(Bytes::Owned(bytes), keys)
    }

    fn of(bytes: Bytes, keys: &Keys) -> io::Result<Result<SegmentFile, Damage>> {
        let read = || {
            let whole = FileSlice { bytes: bytes.as_slice(), offset: 0 };
            let header = Header::read(&whole)?;
            let footer = Footer::read(&whole, &header)?;
            Ok((header, footer))
        };
        let (header, footer) = match read() {
            Ok(read) => read,
            Err(damage) => return Ok(Err(damage)),
        };
        let chunks = footer.checksums.len();
        let key = match header.encryption {
            Encryption::None => None,
            Encryption::Aes256Gcm => keys.open(&footer.envelope, header.id),
        };
        let plain = key.map(|key| Plain::new(key, footer.chunks_end, chunks)).transpose()?;
        let checked = (0..chunks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Ok(SegmentFile { bytes, plain, header, footer, checked }))
    }

    /// Returns the header, which is readable without a key.
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Returns true when the header says which messages there are: that of the first version did not.
    pub(crate) fn has_facts(&self) -> bool {
        self.header.version > 1
    }

    /// Returns true when the chunks are encrypted and the key is not there.
    pub(crate) fn is_locked(&self) -> bool {
        self.header.encryption != Encryption::None && self.plain.is_none()
    }

    /// Returns the recipients that can open it, one per line.
    pub(crate) fn envelope(&self) -> &[u8] {
        &self.footer.envelope
    }

    /// The record of the chain of evidence; empty when it was sealed without one.
    pub(crate) fn record(&self) -> &[u8] {
        &self.footer.record
    }

    /// Digest of the header and of the footer up to the record: it covers every chunk by its hash.
    pub(crate) fn contents(&self) -> Digest {
        self.footer.contents
    }

    /// Size of the file.
    pub(crate) fn size(&self) -> u64 {
        self.bytes.as_slice().len() as u64
    }

    /// Number of chunks.
    pub(crate) fn chunks(&self) -> usize {
        self.footer.checksums.len()
    }

    /// Keeps the decrypted chunks until the guard is dropped. Hold one while using sections.
    pub(crate) fn pin(&self) -> Option<RwLockReadGuard<'_, ()>> {
        self.plain.as_ref().map(|plain| plain.pin())
    }

    /// The bytes that sections are read from.
    fn readable(&self) -> &[u8] {
        match &self.plain {
            Some(plain) => plain.as_slice(),
            None => self.bytes.as_slice(),
        }
    }

    /// Returns the range of a section, its bytes not yet checked; empty when the file has none.
    pub(crate) fn extent(&self, section: Section) -> SectionExtent {
        self.footer.find(section).map_or(SectionExtent { offset: HEADER_BYTES, length: 0 }, |entry| {
            SectionExtent { offset: entry.offset as usize, length: entry.length as usize }
        })
    }

    /// The sections that a range of the file's bytes belongs to, by their numbers.
    pub(crate) fn sections_of(&self, range: &std::ops::Range<u64>) -> Vec<u16> {
        let touches =
            |offset: u64, length: u64| offset < range.end && offset.saturating_add(length) > range.start;
        let entries = self.footer.sections.iter().filter(|entry| touches(entry.offset, entry.length));
        entries.map(|entry| entry.section).collect()
    }

    /// A whole section, checked.
    pub(crate) fn section(&self, section: Section) -> Result<FileSlice<'_>, Damage> {
        let extent = self.extent(section);
        self.slice(extent, 0, extent.length)
    }

    /// Returns a whole section without checking it: see [`SegmentFile::check_part`].
    pub(crate) fn whole(&self, section: Section) -> Result<FileSlice<'_>, Damage> {
        let extent = self.extent(section);
        FileSlice { bytes: self.readable(), offset: 0 }.piece(extent.offset, extent.length)
    }

    /// Checks the chunks that a part of this file lies in.
    #[inline]
    pub(crate) fn check_part(&self, part: &FileSlice<'_>) -> Result<(), Damage> {
        if part.bytes.is_empty() {
            return Ok(());
        }
        let outside = || part.damage(0, "a piece lies outside its section");
        let start = (part.offset as usize).checked_sub(HEADER_BYTES).ok_or_else(outside)?;
        let (first, last) = (start >> CHUNK_SHIFT, (start + part.bytes.len() - 1) >> CHUNK_SHIFT);
        (first..=last).try_for_each(|chunk| self.check(chunk))
    }

    /// A piece of a section, checked.
    pub(crate) fn slice(
        &self,
        extent: SectionExtent,
        start: usize,
        length: usize,
    ) -> Result<FileSlice<'_>, Damage> {
        let whole = FileSlice { bytes: self.readable(), offset: 0 };
        let part = whole.piece(extent.offset, extent.length)?.piece(start, length)?;
        self.check_part(&part)?;
        Ok(part)
    }

    /// Compares a stored chunk with its checksum, hash and, with the key, tag.
    pub(crate) fn examine(&self, chunk: usize) -> Result<(), BadChunk> {
        let start = HEADER_BYTES + (chunk << CHUNK_SHIFT);
        let end = (start + CHUNK_BYTES).min(self.footer.chunks_end);
        let bad = |what| BadChunk { chunk, place: start as u64..end as u64, what };
        let bytes = self.bytes.as_slice().get(start..end).ok_or_else(|| bad("a chunk beyond the last"))?;
        if self.footer.checksums.get(chunk) != Some(&crc32fast::hash(bytes)) {
            return Err(bad("checksum mismatch"));
        }
        if self.footer.hashes.get(chunk).is_some_and(|hash| *hash != Digest::of(bytes)) {
            return Err(bad("hash mismatch: it was changed on purpose"));
        }
        if let Some(plain) = &self.plain {
            let tag = self.footer.tags.get(chunk).ok_or_else(|| bad("a chunk without a tag"))?;
            if !plain.opens(chunk, bytes, tag, &mut vec![0; bytes.len()]) {
                return Err(bad("it cannot be decrypted"));
            }
        }
        Ok(())
    }

    /// Compares the checksum of a chunk, or decrypts it, unless that was done before.
    #[inline]
    fn check(&self, chunk: usize) -> Result<(), Damage> {
        let is_ready = match &self.plain {
            Some(plain) => plain.is_ready(chunk),
            None => {
                let word = self.checked.get(chunk >> 6).map_or(0, |word| word.load(Ordering::Relaxed));
                word & 1 << (chunk & 63) != 0
            }
        };
        if is_ready { Ok(()) } else { self.make_ready(chunk) }
    }

    #[cold]
    fn make_ready(&self, chunk: usize) -> Result<(), Damage> {
        let start = HEADER_BYTES + (chunk << CHUNK_SHIFT);
        let damage = |what| Damage { offset: start as u64, what };
        let end = (start + CHUNK_BYTES).min(self.footer.chunks_end);
        let bytes = self.bytes.as_slice().get(start..end);
        let bytes = bytes.ok_or(damage("a chunk beyond the last"))?;
        if let Some(plain) = &self.plain {
            let tag = self.footer.tags.get(chunk).ok_or(damage("a chunk without a tag"))?;
            let opened = plain.decrypt(chunk, start, bytes, tag);
            // From now on the decrypted bytes are read: keeping both in memory would double it.
            self.bytes.let_go(start, bytes.len());
            return if opened { Ok(()) } else { Err(damage("it cannot be decrypted")) };
        }
        if self.is_locked() {
            return Err(damage("it is encrypted and the key is not there"));
        }
        if self.footer.checksums.get(chunk) != Some(&crc32fast::hash(bytes)) {
            return Err(damage("checksum mismatch"));
        }
        if let Some(word) = self.checked.get(chunk >> 6) {
            word.fetch_or(1 << (chunk & 63), Ordering::Relaxed);
        }
        Ok(())
    }
}

/// The range of a section in the file, bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SectionExtent {
    pub(crate) offset: usize,
    pub(crate) length: usize,
}

/// Returns options that create a file for its owner only: it holds messages.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}
