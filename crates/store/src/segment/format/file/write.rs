//! Writes a segment file from start to end, footer last.
//!
//! In: sections, one after the other. Out: the file's bytes. Holds: the checksum of the chunk being filled.
//! Limits: none; the caller syncs and names the file.

use super::{
    CHECKSUM_CRC32, CHUNK_BYTES, CHUNK_SHIFT, ENCRYPTION_NONE, END_MAGIC, Entry, HEADER_BYTES, MAGIC,
    SECTION_BYTES, Section, TRAILER_BYTES, VERSION,
};
use std::io::{self, Write};

/// A segment being written.
pub(crate) struct FileWriter<W: Write> {
    out: W,
    offset: u64,
    sections: Vec<Entry>,
    checksums: Vec<u32>,
    chunk: crc32fast::Hasher,
    /// Bytes of the chunk so far.
    filled: usize,
}

impl<W: Write> FileWriter<W> {
    /// Writes the header.
    pub(crate) fn begin(mut out: W) -> io::Result<FileWriter<W>> {
        let mut header = Vec::with_capacity(HEADER_BYTES);
        header.extend_from_slice(&MAGIC);
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&(HEADER_BYTES as u16).to_le_bytes());
        header.extend_from_slice(&[CHECKSUM_CRC32, ENCRYPTION_NONE, CHUNK_SHIFT]);
        header.resize(HEADER_BYTES - 4, 0);
        let checksum = crc32fast::hash(&header);
        header.extend_from_slice(&checksum.to_le_bytes());
        out.write_all(&header)?;
        Ok(FileWriter {
            out,
            offset: HEADER_BYTES as u64,
            sections: Vec::new(),
            checksums: Vec::new(),
            chunk: crc32fast::Hasher::new(),
            filled: 0,
        })
    }

    /// Writes one section made of several pieces.
    pub(crate) fn section<'a>(
        &mut self,
        section: Section,
        pieces: impl IntoIterator<Item = &'a [u8]>,
    ) -> io::Result<()> {
        let offset = self.offset;
        for piece in pieces {
            self.write(piece)?;
        }
        self.sections.push(Entry { section: section as u16, offset, length: self.offset - offset });
        Ok(())
    }

    fn write(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.offset += bytes.len() as u64;
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK_BYTES - self.filled));
            self.chunk.update(now);
            self.filled += now.len();
            bytes = later;
            if self.filled == CHUNK_BYTES {
                self.end_chunk();
            }
        }
        Ok(())
    }

    fn end_chunk(&mut self) {
        let chunk = std::mem::take(&mut self.chunk);
        self.checksums.push(chunk.finalize());
        self.filled = 0;
    }

    /// Writes the footer; gives the target back and the size of the file.
    pub(crate) fn finish(mut self) -> io::Result<(W, u64)> {
        if self.filled > 0 {
            self.end_chunk();
        }
        let mut footer =
            Vec::with_capacity(self.sections.len() * SECTION_BYTES + self.checksums.len() * 4 + 8);
        footer.extend_from_slice(&(self.sections.len() as u32).to_le_bytes());
        for entry in &self.sections {
            footer.extend_from_slice(&entry.section.to_le_bytes());
            footer.extend_from_slice(&[0, ENCRYPTION_NONE, 0, 0, 0, 0]);
            footer.extend_from_slice(&entry.offset.to_le_bytes());
            footer.extend_from_slice(&entry.length.to_le_bytes());
        }
        footer.extend_from_slice(&(self.checksums.len() as u32).to_le_bytes());
        self.checksums.iter().for_each(|checksum| footer.extend_from_slice(&checksum.to_le_bytes()));
        let size = self.offset + (footer.len() + TRAILER_BYTES) as u64;
        let (checksum, length) = (crc32fast::hash(&footer), footer.len() as u32);
        footer.extend_from_slice(&self.offset.to_le_bytes());
        footer.extend_from_slice(&length.to_le_bytes());
        footer.extend_from_slice(&checksum.to_le_bytes());
        footer.extend_from_slice(&size.to_le_bytes());
        footer.extend_from_slice(&END_MAGIC);
        self.out.write_all(&footer)?;
        Ok((self.out, size))
    }
}
