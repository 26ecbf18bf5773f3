//! Walks the records of one file, and finds the next one after damage.
//!
//! In: a file and how much of it may be read. Out: headers and payloads; where it is damaged.
//! Holds: a window of the file. Limits: the window grows to the longest record.

use crate::{
    disk::DiskFile,
    file::HEADER_BYTES,
    record::{RECORD_HEADER_BYTES, RecordHeader, decode_record},
};
use std::io;

/// Bytes read at once.
const WINDOW_BYTES: usize = 1 << 20;

/// The result of one step of a scan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScanStep {
    /// A record; the scan is now after it.
    Record(RecordHeader),
    /// The end of what may be read.
    End,
    /// Bytes that are not a record; the scan is still before them.
    Bad,
}

/// A walk over one file.
pub(crate) struct Scan {
    file: Box<dyn DiskFile>,
    salt: u32,
    /// The first sequence number of the file; records with lower ones are left from before the file was overwritten.
    first: u64,
    /// Offset in the file of the next byte to read.
    offset: u64,
    /// Offset at which reading ends.
    limit: u64,
    /// The highest limit that was set: above [`Scan::limit`] when the file turned out to be shorter.
    limit_set: u64,
    window: Vec<u8>,
    window_offset: u64,
    /// Payload of the last record, in the window.
    payload: std::ops::Range<usize>,
}

impl Scan {
    /// Starts after the header.
    pub(crate) fn new(file: Box<dyn DiskFile>, salt: u32, first: u64, limit: u64) -> Scan {
        Scan {
            file,
            salt,
            first,
            offset: HEADER_BYTES,
            limit,
            limit_set: limit,
            window: Vec::new(),
            window_offset: 0,
            payload: 0..0,
        }
    }

    /// Returns the offset in the file of the next byte to read.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Allows reading further when the file grew. Returns true when there is more to read. Bytes that the file turned
    /// out not to have are not tried again until it grew.
    pub(crate) fn extend_limit(&mut self, limit: u64) -> bool {
        if limit > self.limit_set {
            (self.limit, self.limit_set) = (limit, limit);
        }
        self.offset < self.limit
    }

    /// Returns the payload of the record that [`Scan::advance`] found last.
    pub(crate) fn payload(&self) -> &[u8] {
        &self.window[self.payload.clone()]
    }

    /// Reads the next record.
    pub(crate) fn advance(&mut self) -> io::Result<ScanStep> {
        if self.offset >= self.limit {
            return Ok(ScanStep::End);
        }
        self.fill(RECORD_HEADER_BYTES)?;
        let Some(header) = self.header() else { return Ok(ScanStep::Bad) };
        self.fill(header.total_bytes())?;
        if decode_record(self.ahead(), self.salt).is_none() {
            return Ok(ScanStep::Bad);
        }
        let start = (self.offset - self.window_offset) as usize + RECORD_HEADER_BYTES;
        self.payload = start..start + header.length as usize;
        self.offset += header.total_bytes() as u64;
        Ok(ScanStep::Record(header))
    }

    /// Moves to the next offset where a record of `expected` or later starts; returns false, at the end, when there
    /// is none.
    pub(crate) fn skip_damage(&mut self, expected: u64) -> io::Result<bool> {
        while self.offset < self.limit {
            self.offset += 1;
            self.fill(RECORD_HEADER_BYTES)?;
            let likely = |header: &RecordHeader| header.sequence >= expected;
            let Some(header) = self.header().filter(likely) else { continue };
            self.fill(header.total_bytes())?;
            if decode_record(self.ahead(), self.salt).is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn header(&self) -> Option<RecordHeader> {
        RecordHeader::decode(self.ahead(), self.salt).filter(|header| header.sequence >= self.first)
    }

    fn ahead(&self) -> &[u8] {
        &self.window[(self.offset - self.window_offset) as usize..]
    }

    /// Makes `count` bytes available at the offset, fewer at the limit.
    fn fill(&mut self, count: usize) -> io::Result<()> {
        let end = self.window_offset + self.window.len() as u64;
        let want = (self.limit - self.offset).min(count as u64);
        debug_assert!(self.offset >= self.window_offset, "a scan went back");
        if self.offset + want <= end {
            return Ok(());
        }
        let length = (self.limit - self.offset).min(count.max(WINDOW_BYTES) as u64) as usize;
        self.window.resize(length, 0);
        self.window_offset = self.offset;
        let read = self.file.read_at(self.offset, &mut self.window)?;
        self.window.truncate(read);
        if read < length {
            self.limit = self.offset + read as u64;
        }
        debug_assert!(self.offset <= self.limit, "the window begins beyond the limit");
        Ok(())
    }
}
