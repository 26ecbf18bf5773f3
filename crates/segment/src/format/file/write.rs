//! Writes a segment file from start to end, footer last.
//!
//! In: sections, one after the other. Out: the file's bytes. Holds: the chunk being filled, and the footer entries
//! of the previous ones. Limits: none; the caller syncs and names the file.

use super::{
    footer::{Entry, Footer},
    header::{Encryption, HEADER_BYTES, Header},
    section::{CHUNK_BYTES, Section},
};
use evidence::{Digest, Lock};
use std::io::{self, Write};

/// A segment being written.
pub(crate) struct FileWriter<W: Write> {
    out: W,
    header: [u8; HEADER_BYTES],
    footer: Footer,
    lock: Option<Lock>,
    chunk: Vec<u8>,
}

impl<W: Write> FileWriter<W> {
    /// Writes the header. With a lock, chunks are encrypted.
    pub(crate) fn begin(mut out: W, header: &Header, lock: Option<Lock>) -> io::Result<FileWriter<W>> {
        debug_assert_eq!(
            header.encryption == Encryption::Aes256Gcm,
            lock.is_some(),
            "a lock without encryption"
        );
        let header = header.encode();
        out.write_all(&header)?;
        let footer = Footer { chunks_end: HEADER_BYTES, ..Footer::default() };
        Ok(FileWriter { out, header, footer, lock, chunk: Vec::with_capacity(CHUNK_BYTES) })
    }

    /// Writes one section made of several pieces.
    pub(crate) fn section<'a>(
        &mut self,
        section: Section,
        pieces: impl IntoIterator<Item = &'a [u8]>,
    ) -> io::Result<()> {
        let offset = self.offset();
        for piece in pieces {
            self.write(piece)?;
        }
        let length = self.offset() - offset;
        self.footer.sections.push(Entry { section: section as u16, offset, length });
        Ok(())
    }

    /// Writes one section piece by piece: `fill` gets the writer.
    pub(crate) fn section_of<E: From<io::Error>>(
        &mut self,
        section: Section,
        fill: impl FnOnce(&mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<(), E>,
    ) -> Result<(), E> {
        let offset = self.offset();
        fill(&mut |bytes| self.write(bytes))?;
        let length = self.offset() - offset;
        self.footer.sections.push(Entry { section: section as u16, offset, length });
        Ok(())
    }

    fn offset(&self) -> u64 {
        (self.footer.chunks_end + self.chunk.len()) as u64
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK_BYTES - self.chunk.len()));
            self.chunk.extend_from_slice(now);
            bytes = later;
            if self.chunk.len() == CHUNK_BYTES {
                self.end_chunk()?;
            }
        }
        Ok(())
    }

    fn end_chunk(&mut self) -> io::Result<()> {
        debug_assert!((1..=CHUNK_BYTES).contains(&self.chunk.len()), "a chunk of {} bytes", self.chunk.len());
        if let Some(lock) = &self.lock {
            let tag = lock.seal(self.footer.checksums.len() as u32, &mut self.chunk);
            self.footer.tags.push(tag.ok_or_else(|| io::Error::other("a chunk cannot be encrypted"))?);
        }
        self.footer.checksums.push(crc32fast::hash(&self.chunk));
        self.footer.hashes.push(Digest::of(&self.chunk));
        self.out.write_all(&self.chunk)?;
        self.footer.chunks_end += self.chunk.len();
        self.chunk.clear();
        Ok(())
    }

    /// Writes the footer, with the record that `record` makes of the contents' digest; returns the target and the
    /// size of the file.
    pub(crate) fn finish(self, record: &dyn Fn(Digest) -> Vec<u8>) -> io::Result<(W, u64)> {
        let mut whole = self.end()?;
        let footer = whole.footer(record);
        whole.out.write_all(&footer)?;
        let size = whole.footer_at() + footer.len() as u64;
        Ok((whole.out, size))
    }

    /// Ends the last chunk: only the footer is missing.
    pub(crate) fn end(mut self) -> io::Result<Footless<W>> {
        if !self.chunk.is_empty() {
            self.end_chunk()?;
        }
        if let Some(lock) = &mut self.lock {
            self.footer.envelope = std::mem::take(&mut lock.envelope);
        }
        debug_assert_eq!(self.footer.hashes.len(), self.footer.checksums.len(), "a chunk without a hash");
        Ok(Footless { out: self.out, header: self.header, footer: self.footer })
    }
}

/// A segment file that is complete except for its footer.
pub(crate) struct Footless<W> {
    pub(crate) out: W,
    header: [u8; HEADER_BYTES],
    footer: Footer,
}

impl<W> Footless<W> {
    /// Returns the offset of the footer.
    pub(crate) fn footer_at(&self) -> u64 {
        self.footer.chunks_end as u64
    }

    /// The footer and what follows it, with the record that `record` makes of the contents' digest.
    pub(crate) fn footer(&self, record: &dyn Fn(Digest) -> Vec<u8>) -> Vec<u8> {
        self.footer.encode(&self.header, record)
    }
}
