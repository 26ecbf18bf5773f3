//! The first 512 bytes of a segment: readable without a key.
//!
//! In: bytes. Out: identity, algorithms, numbers, times. Limits: unknown versions and algorithms are
//! refused; version 1 had no identity.

use super::section::{CHUNK_SHIFT, RECODED_VERSION};
use crate::format::{Damage, FileSlice};

/// Bytes before the first section.
pub(super) const HEADER_BYTES: usize = 512;
/// First bytes of a segment.
const MAGIC: [u8; 8] = *b"DuramSeg";
/// Checksum: CRC-32 (IEEE).
const CHECKSUM_CRC32: u8 = 1;
/// Hash of chunks: SHA-256.
const HASH_SHA256: u8 = 1;

/// How chunks are encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub(crate) enum Encryption {
    /// Not at all.
    #[default]
    None = 0,
    /// AES-256-GCM under the segment's key.
    Aes256Gcm = 1,
}

/// The contents of the header.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Header {
    /// Version of the format; the first one knew neither hashes nor encryption.
    pub(crate) version: u16,
    pub(crate) encryption: Encryption,
    /// Random; generated when the segment was sealed.
    pub(crate) id: [u8; 16],
    pub(crate) first: u64,
    pub(crate) count: u32,
    /// Received times of the first and the last message.
    pub(crate) received_us: (i64, i64),
}

impl Header {
    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        assert!((2..=RECODED_VERSION).contains(&self.version), "a file of version {}", self.version);
        let mut out = Vec::with_capacity(HEADER_BYTES);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&self.version.to_le_bytes());
        out.extend_from_slice(&(HEADER_BYTES as u16).to_le_bytes());
        out.extend_from_slice(&[CHECKSUM_CRC32, self.encryption as u8, CHUNK_SHIFT, HASH_SHA256]);
        out.extend_from_slice(&self.id);
        out.extend_from_slice(&self.first.to_le_bytes());
        out.extend_from_slice(&u64::from(self.count).to_le_bytes());
        out.extend_from_slice(&self.received_us.0.to_le_bytes());
        out.extend_from_slice(&self.received_us.1.to_le_bytes());
        out.resize(HEADER_BYTES - 4, 0);
        out.extend_from_slice(&crc32fast::hash(&out).to_le_bytes());
        out.try_into().expect("the header was made this long")
    }

    pub(super) fn read(whole: &FileSlice<'_>) -> Result<Header, Damage> {
        let part = whole.piece(0, HEADER_BYTES).map_err(|_| whole.damage(0, "too short for a segment"))?;
        let mut reader = part.reader();
        if reader.take(MAGIC.len())? != MAGIC {
            return Err(whole.damage(0, "not a segment"));
        }
        let checksum = part.piece(HEADER_BYTES - 4, 4)?.reader().u32()?;
        if crc32fast::hash(&part.bytes[..HEADER_BYTES - 4]) != checksum {
            return Err(whole.damage(0, "checksum mismatch in the header"));
        }
        let version = reader.u16()?;
        if !(1..=RECODED_VERSION).contains(&version) {
            return Err(whole.damage(MAGIC.len(), "written by a newer version"));
        }
        let hash = if version == 1 { 0 } else { HASH_SHA256 };
        let size = usize::from(reader.u16()?);
        let (checksum, encryption) = (reader.byte()?, reader.byte()?);
        let known = [CHECKSUM_CRC32, CHUNK_SHIFT, hash];
        if size != HEADER_BYTES || [checksum, reader.byte()?, reader.byte()?] != known {
            return Err(whole.damage(MAGIC.len() + 2, "an unknown checksum, hash or chunk size"));
        }
        let encryption = match (version, encryption) {
            (_, 0) => Encryption::None,
            (2.., 1) => Encryption::Aes256Gcm,
            _ => return Err(whole.damage(MAGIC.len() + 5, "an unknown encryption")),
        };
        if version == 1 {
            return Ok(Header { version, encryption, ..Header::default() });
        }
        let mut id = [0; 16];
        id.copy_from_slice(reader.take(16)?);
        let (first, count) = (reader.u64()?, reader.u64()?);
        let count =
            u32::try_from(count).map_err(|_| reader.damage("more documents than a segment can have"))?;
        let received_us = (reader.i64()?, reader.i64()?);
        Ok(Header { version, encryption, id, first, count, received_us })
    }
}
