//! The state of an evaluator as bytes: what a restart goes on from.
//!
//! In: an evaluator. Out: bytes, and back. Limits: every length is checked against what is there.
//!
//! Version 1: the letters `DWS` and the version; numbers as LEB128, times zigzagged; the next sequence number, the
//! time reached; then each rule with its identifier, its version, its ordinals and its state, length first; at the end
//! the first eight bytes of the SHA-256 of everything before them. A state holds keys from the one not seen for
//! longest to the one seen last.

use crate::key_table::KeyTable;
use sha2::{Digest, Sha256};
use std::fmt;

const MAGIC: &[u8; 4] = b"DWS\x01";
const CHECK_BYTES: usize = 8;

/// The reason why a snapshot cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestoreError {
    /// The bytes are no snapshot, or one of a later version.
    Format,
    /// The bytes are not those that were written.
    Damaged,
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RestoreError::Format => f.write_str("the snapshot is not of version 1"),
            RestoreError::Damaged => f.write_str("the snapshot is damaged"),
        }
    }
}

impl std::error::Error for RestoreError {}

/// Writes a snapshot.
#[derive(Debug)]
pub(crate) struct SnapshotWriter {
    bytes: Vec<u8>,
}

impl SnapshotWriter {
    pub(crate) fn new() -> SnapshotWriter {
        SnapshotWriter { bytes: MAGIC.to_vec() }
    }

    pub(crate) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    pub(crate) fn time(&mut self, us: i64) {
        self.number(((us << 1) ^ (us >> 63)) as u64);
    }

    pub(crate) fn optional_time(&mut self, us: Option<i64>) {
        self.number(u64::from(us.is_some()));
        us.iter().for_each(|us| self.time(*us));
    }

    pub(crate) fn float(&mut self, number: f64) {
        self.bytes.extend(number.to_bits().to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// Writes a table; `write` writes the state of a key.
    pub(crate) fn table<S: Default>(
        &mut self,
        table: &KeyTable<S>,
        write: &mut dyn FnMut(&mut SnapshotWriter, &S),
    ) {
        self.number(table.len() as u64);
        for slot in table.oldest_first() {
            self.bytes(table.key(slot));
            self.time(table.last_us(slot));
            write(self, table.state(slot));
        }
    }

    /// Writes what `write` writes with its length before it.
    pub(crate) fn part(&mut self, write: &mut dyn FnMut(&mut SnapshotWriter)) {
        let mut part = SnapshotWriter { bytes: Vec::new() };
        write(&mut part);
        self.bytes(&part.bytes);
    }

    /// Returns the snapshot.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let digest = Sha256::digest(&self.bytes);
        self.bytes.extend_from_slice(&digest[..CHECK_BYTES]);
        self.bytes
    }
}

/// Reads a snapshot.
#[derive(Debug)]
pub(crate) struct SnapshotReader<'a> {
    rest: &'a [u8],
}

impl<'a> SnapshotReader<'a> {
    /// Checks the bytes of a snapshot.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<SnapshotReader<'a>, RestoreError> {
        let body = bytes.strip_prefix(MAGIC).ok_or(RestoreError::Format)?;
        let end = body.len().checked_sub(CHECK_BYTES).ok_or(RestoreError::Damaged)?;
        let digest = Sha256::digest(&bytes[..MAGIC.len() + end]);
        match body[end..] == digest[..CHECK_BYTES] {
            true => Ok(SnapshotReader { rest: &body[..end] }),
            false => Err(RestoreError::Damaged),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], RestoreError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(RestoreError::Damaged)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn number(&mut self) -> Result<u64, RestoreError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(RestoreError::Damaged)
    }

    /// Returns a count; each counted thing takes a byte at least.
    pub(crate) fn count(&mut self) -> Result<usize, RestoreError> {
        let count = usize::try_from(self.number()?).map_err(|_| RestoreError::Damaged)?;
        if count > self.rest.len() { Err(RestoreError::Damaged) } else { Ok(count) }
    }

    pub(crate) fn time(&mut self) -> Result<i64, RestoreError> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(crate) fn optional_time(&mut self) -> Result<Option<i64>, RestoreError> {
        match self.number()? {
            0 => Ok(None),
            1 => self.time().map(Some),
            _ => Err(RestoreError::Damaged),
        }
    }

    pub(crate) fn float(&mut self) -> Result<f64, RestoreError> {
        let bytes = self.take(8)?.try_into().map_err(|_| RestoreError::Damaged)?;
        Ok(f64::from_bits(u64::from_le_bytes(bytes)))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], RestoreError> {
        let count = self.count()?;
        self.take(count)
    }

    /// Reads a table into an empty one.
    pub(crate) fn table<S: Default>(
        &mut self,
        table: &mut KeyTable<S>,
        read: &mut dyn FnMut(&mut SnapshotReader<'a>) -> Result<S, RestoreError>,
    ) -> Result<(), RestoreError> {
        for _ in 0..self.count()? {
            let key = self.bytes()?;
            let last_us = self.time()?;
            let state = read(self)?;
            if table.find(key).is_some() {
                return Err(RestoreError::Damaged);
            }
            table.insert(key, last_us, state);
        }
        Ok(())
    }

    /// Returns the reader of a part.
    pub(crate) fn part(&mut self) -> Result<SnapshotReader<'a>, RestoreError> {
        Ok(SnapshotReader { rest: self.bytes()? })
    }

    /// Checks that nothing is left.
    pub(crate) fn end(&self) -> Result<(), RestoreError> {
        if self.rest.is_empty() { Ok(()) } else { Err(RestoreError::Damaged) }
    }
}
