//! `compress()`: output compressed with gzip.
//!
//! In: the bytes of one write. Out: one whole member of a gzip file: the file can be read at any time, and after a
//! crash all members before the last one are whole. Holds: a member that was written in part.
//! Limits: none of its own; the worker bounds what is written at once.

use flate2::{Compression, write::GzEncoder};
use std::io::{self, Write};

/// A packed member that is not wholly written.
#[derive(Default)]
pub(super) struct Packed {
    bytes: Vec<u8>,
    written: usize,
    /// Bytes of input that it contains.
    plain: usize,
}

impl Packed {
    /// Writes a member. Returns how many bytes of the input it contains once it is completely written; after an
    /// error the same member is continued, and the input must begin as before.
    pub(super) fn write(&mut self, file: &mut impl Write, plain: &[u8]) -> io::Result<usize> {
        if self.bytes.is_empty() {
            let mut encoder = GzEncoder::new(std::mem::take(&mut self.bytes), Compression::fast());
            encoder.write_all(plain)?;
            self.bytes = encoder.finish()?;
            self.plain = plain.len();
        }
        while self.written < self.bytes.len() {
            match file.write(&self.bytes[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(size) => self.written += size,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let plain = self.plain;
        self.clear();
        Ok(plain)
    }

    /// Returns whether no member is written in part.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Discards a partly written member.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        (self.written, self.plain) = (0, 0);
    }
}
