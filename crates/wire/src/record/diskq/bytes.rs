//! Reads what syslog-ng serialized: numbers are big-endian, texts have their length before them.
//!
//! In: bytes. Out: numbers, slices. Holds: what is left. Limits: an end that comes too early is an error.

use super::error::SavedMessageError;

/// The bytes that are left.
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes { rest: bytes }
    }

    /// Returns the number of bytes that are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], SavedMessageError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(SavedMessageError::Short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SavedMessageError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(SavedMessageError::Short)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(super) fn u8(&mut self) -> Result<u8, SavedMessageError> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, SavedMessageError> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, SavedMessageError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, SavedMessageError> {
        self.array().map(u64::from_be_bytes)
    }

    /// Returns a text, which has its length before it.
    pub(super) fn text(&mut self) -> Result<&'a [u8], SavedMessageError> {
        let length = self.u32()? as usize;
        self.take(length)
    }
}
