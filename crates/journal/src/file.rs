//! Journal files: their names and their first 64 bytes.
//!
//! In: the first sequence number of a file. Out: name and header, and back.
//! Limits: names of 20 digits, so that they sort as numbers do.

use std::{
    array,
    path::{Path, PathBuf},
};

/// Length of the header; the first record follows.
pub(crate) const HEADER_BYTES: u64 = 64;
const MAGIC: &[u8; 8] = b"DURAJRNL";
const VERSION: u16 = 1;
/// CRC-32 (IEEE), the only checksum so far.
const CHECKSUM_CRC32: u16 = 1;
/// Records are stored as they are. The two ids after the checksum's are compression and encryption.
const PLAIN: u16 = 0;

/// A journal file and the sequence number of its first record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct JournalFile {
    pub(crate) first: u64,
    pub(crate) path: PathBuf,
    /// Number of bytes of it that are durable.
    pub(crate) length: u64,
}

impl JournalFile {
    /// Returns the file that starts at a sequence number.
    pub(crate) fn new(dir: &Path, first: u64) -> JournalFile {
        JournalFile { first, path: dir.join(format!("journal-{first:020}.dj")), length: 0 }
    }

    /// Returns the file of a name in the directory; `None` for any other name.
    pub(crate) fn parse(dir: &Path, name: &str) -> Option<JournalFile> {
        JournalFile::parse_after("journal-", dir, name)
    }

    /// Parses the name of a file that is kept to be overwritten.
    pub(crate) fn parse_spare(dir: &Path, name: &str) -> Option<JournalFile> {
        JournalFile::parse_after("spare-", dir, name)
    }

    /// Returns the name under which the file is kept to be overwritten.
    pub(crate) fn spare_path(&self) -> PathBuf {
        self.path.with_file_name(format!("spare-{:020}.dj", self.first))
    }

    fn parse_after(prefix: &str, dir: &Path, name: &str) -> Option<JournalFile> {
        let digits = name.strip_prefix(prefix)?.strip_suffix(".dj")?;
        if digits.len() != 20 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(JournalFile { first: digits.parse().ok()?, path: dir.join(name), length: 0 })
    }
}

/// The past of a file, which says whether older records may follow its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FileHistory {
    /// The file was made for its records.
    New,
    /// It is being overwritten: its earlier contents may follow.
    Recycled,
}

/// The decoded first bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Header {
    /// As written by this version: the salt of the records, the first sequence number, and the history of the file.
    Ours { salt: u32, first: u64, history: FileHistory },
    /// A journal file of another version or with algorithms that this version does not know.
    Foreign { version: u16 },
    /// Not a header: cut short or damaged.
    Bad,
}

/// Encodes the header of a file.
pub(crate) fn encode_header(first: u64, salt: u32, history: FileHistory) -> [u8; HEADER_BYTES as usize] {
    let mut header = [0; HEADER_BYTES as usize];
    header[..8].copy_from_slice(MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header[10..12].copy_from_slice(&CHECKSUM_CRC32.to_le_bytes());
    header[12..14].copy_from_slice(&PLAIN.to_le_bytes());
    header[14..16].copy_from_slice(&PLAIN.to_le_bytes());
    header[16..24].copy_from_slice(&first.to_le_bytes());
    header[24..28].copy_from_slice(&salt.to_le_bytes());
    header[28] = u8::from(history == FileHistory::Recycled);
    let crc = crc32fast::hash(&header[..60]);
    header[60..].copy_from_slice(&crc.to_le_bytes());
    debug_assert_eq!(decode_header(&header), Header::Ours { salt, first, history });
    header
}

/// Reads a header.
pub(crate) fn decode_header(bytes: &[u8]) -> Header {
    let Some(bytes) = bytes.first_chunk::<{ HEADER_BYTES as usize }>() else { return Header::Bad };
    let two = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
    let four = |at: usize| u32::from_le_bytes(array::from_fn(|index| bytes[at + index]));
    if bytes[..8] != *MAGIC || four(60) != crc32fast::hash(&bytes[..60]) {
        return Header::Bad;
    }
    if two(8) != VERSION || two(10) != CHECKSUM_CRC32 || two(12) != PLAIN || two(14) != PLAIN {
        return Header::Foreign { version: two(8) };
    }
    let first = u64::from_le_bytes(array::from_fn(|index| bytes[16 + index]));
    let history = if bytes[28] == 0 { FileHistory::New } else { FileHistory::Recycled };
    Header::Ours { salt: four(24), first, history }
}

#[cfg(test)]
mod tests;
