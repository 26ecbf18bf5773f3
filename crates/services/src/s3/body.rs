//! The content of an object.
//!
//! In: rows. Out: bytes, compressed if configured, and their SHA-256. Holds: nothing. Limits: none of its own; a batch bounds
//! the rows.

use super::options::S3Compression;
use crate::identity::hex;
use aws_lc_rs::digest::{SHA256, digest};
use base64::{Engine, engine::general_purpose::STANDARD};
use delivery::{Cell, Row};
use flate2::write::GzEncoder;
use hyper::body::Bytes;
use std::io::Write;

/// The content of an object with its digests.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) bytes: Bytes,
    /// SHA-256 in hexadecimal digits, as the signature has it.
    pub(super) sha256_hex: String,
    /// SHA-256 in Base64, as the checksum of an object has it.
    pub(super) sha256_base64: String,
}

/// Returns the texts of rows, one after the other.
pub(super) fn texts(rows: &[Row]) -> Vec<u8> {
    let mut text = Vec::with_capacity(rows.iter().map(Row::payload).sum());
    for row in rows {
        if let Some(Cell::Bytes(bytes)) = row.cells.first() {
            text.extend_from_slice(bytes);
        }
    }
    text
}

impl Content {
    /// Compresses a text.
    pub(super) fn of(text: Vec<u8>, compression: S3Compression, level: u32) -> Content {
        let bytes = packed(text, compression, level);
        let sha256 = digest(&SHA256, &bytes);
        Content {
            sha256_hex: hex(sha256.as_ref()),
            sha256_base64: STANDARD.encode(sha256),
            bytes: bytes.into(),
        }
    }
}

/// Returns a compressed text: one member of gzip or one frame of Zstandard, which may follow another.
pub(super) fn packed(text: Vec<u8>, compression: S3Compression, level: u32) -> Vec<u8> {
    let packed = match compression {
        S3Compression::None => Ok(text),
        S3Compression::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::new(level));
            encoder.write_all(&text).and_then(|()| encoder.finish())
        }
        S3Compression::Zstd => {
            zstd::stream::encode_all(text.as_slice(), i32::try_from(level).unwrap_or_default())
        }
    };
    packed.expect("memory takes what is written to it")
}

/// Returns the end of the names of compressed objects.
pub(super) fn suffix(compression: S3Compression) -> &'static str {
    match compression {
        S3Compression::None => "",
        S3Compression::Gzip => ".gz",
        S3Compression::Zstd => ".zst",
    }
}
