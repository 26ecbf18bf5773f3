//! The header of a queue file: where the records are, and how many.
//!
//! In: the first [`super::DISKQ_HEADER_BYTES`] of a file. Out: positions and counts. Holds nothing.
//! Limits: positions below the end of the header, and counts that do not fit them, are refused.

use super::DISKQ_HEADER_BYTES;
use std::fmt;

/// The kind of a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiskqKind {
    /// `reliable(yes)`: all messages are records, those that were sent and not acknowledged included.
    Reliable,
    /// `reliable(no)`: a stop saves what was in memory behind the records.
    Normal,
}

/// Messages that were in memory: one after the other, without lengths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SavedQueue {
    /// Position in the file; 0 when there are none.
    pub offset: u64,
    /// Bytes of all of them.
    pub bytes: u32,
    /// Their number.
    pub messages: u32,
}

/// The header of a queue file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DiskqHeader {
    /// Kind of the queue.
    pub kind: DiskqKind,
    /// Position of the oldest record that was not acknowledged.
    pub first: u64,
    /// Position behind the newest record.
    pub end: u64,
    /// Number of records from the oldest to the newest.
    pub records: u64,
    /// Position from which records continue behind the header, if the file says so. Version 2 does not.
    capacity: Option<u64>,
    /// Messages that are older than the records: sent and not acknowledged, then those that were to be sent first.
    pub before: [SavedQueue; 2],
    /// Messages that are newer than the records.
    pub after: SavedQueue,
}

/// The reasons why bytes are not a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiskqHeaderError {
    /// The file does not begin with the word of a queue file.
    NotAQueue,
    /// The version is not known.
    Version(u8),
    /// The file was written on a machine with the other order of bytes.
    BigEndian,
    /// Positions and counts do not fit each other.
    Inconsistent,
}

impl fmt::Display for DiskqHeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiskqHeaderError::NotAQueue => f.write_str("it is not a queue of syslog-ng"),
            DiskqHeaderError::Version(version) => write!(f, "version {version} of its format is not known"),
            DiskqHeaderError::BigEndian => f.write_str("it was written on a big-endian machine"),
            DiskqHeaderError::Inconsistent => {
                f.write_str("the positions in its header contradict each other")
            }
        }
    }
}

impl std::error::Error for DiskqHeaderError {}

/// Newest version of the header.
const VERSION: u8 = 3;

impl DiskqHeader {
    /// Returns true when a file that begins with these bytes is a queue of syslog-ng.
    pub fn is_begun_by(bytes: &[u8]) -> bool {
        matches!(bytes.get(..4), Some(b"SLRQ" | b"SLQF"))
    }

    /// Reads a header.
    pub fn read(bytes: &[u8; DISKQ_HEADER_BYTES]) -> Result<DiskqHeader, DiskqHeaderError> {
        let kind = match &bytes[..4] {
            b"SLRQ" => DiskqKind::Reliable,
            b"SLQF" => DiskqKind::Normal,
            _ => return Err(DiskqHeaderError::NotAQueue),
        };
        let version = bytes[4];
        let order = match (version, bytes[5]) {
            (0, _) => Order::Big,
            (1..=VERSION, 0) => Order::Little,
            (1..=VERSION, _) => return Err(DiskqHeaderError::BigEndian),
            _ => return Err(DiskqHeaderError::Version(version)),
        };
        let position = |at: usize| order.u64(bytes, at);
        let saved = |at: usize| SavedQueue {
            offset: order.u64(bytes, at),
            bytes: order.u32(bytes, at + 8),
            messages: order.u32(bytes, at + 12),
        };
        let (mut first, mut records) = (position(8), position(24));
        let (end, none) = (position(16), SavedQueue::default());
        let [newer, older, newest] = match kind {
            DiskqKind::Reliable => [none; 3],
            DiskqKind::Normal => [saved(32), saved(48), saved(64)],
        };
        if kind == DiskqKind::Reliable && version > 0 {
            (first, records) = (position(80), records.saturating_add(position(88)));
        }
        let is_new = version > 1 && bytes[96] == 0;
        let capacity = Some(position(104)).filter(|capacity| is_new && *capacity > 0);
        let header =
            DiskqHeader { kind, first, end, records, capacity, before: [older, newer], after: newest };
        if header.is_consistent() { Ok(header) } else { Err(DiskqHeaderError::Inconsistent) }
    }

    fn is_consistent(&self) -> bool {
        let behind = DISKQ_HEADER_BYTES as u64;
        let is_possible = |at: u64| (behind..=i64::MAX as u64).contains(&at);
        is_possible(self.first)
            && is_possible(self.end)
            && (self.first != self.end || self.records == 0)
            && self.saved().all(|saved| saved.offset == 0 || is_possible(saved.offset))
    }

    /// Returns the messages that were in memory.
    pub fn saved(&self) -> impl Iterator<Item = &SavedQueue> {
        self.before.iter().chain([&self.after])
    }

    /// Returns the position at which the record after the one that ends at `at` begins. Newer records are written
    /// behind the header again once the file is full. A file of version 2 may have the rest of an older record there:
    /// when nothing can be read behind [`DiskqHeader::end`], records continue behind the header.
    pub fn next_record(&self, at: u64, file_bytes: u64) -> u64 {
        let last = self.capacity.unwrap_or_else(|| {
            let saved = self.saved().map(|saved| saved.offset).filter(|offset| *offset > 0);
            saved.chain([file_bytes]).min().unwrap_or(file_bytes)
        });
        if at > self.end && at >= last { DISKQ_HEADER_BYTES as u64 } else { at }
    }

    /// Returns the number of all messages.
    pub fn messages(&self) -> u64 {
        self.saved().fold(self.records, |sum, saved| sum.saturating_add(u64::from(saved.messages)))
    }
}

/// The order of bytes of the numbers.
#[derive(Clone, Copy)]
enum Order {
    Little,
    Big,
}

impl Order {
    fn u64(self, bytes: &[u8; DISKQ_HEADER_BYTES], at: usize) -> u64 {
        let number = bytes[at..].first_chunk().copied().unwrap_or_default();
        match self {
            Order::Little => u64::from_le_bytes(number),
            Order::Big => u64::from_be_bytes(number),
        }
    }

    fn u32(self, bytes: &[u8; DISKQ_HEADER_BYTES], at: usize) -> u32 {
        let number = bytes[at..].first_chunk().copied().unwrap_or_default();
        match self {
            Order::Little => u32::from_le_bytes(number),
            Order::Big => u32::from_be_bytes(number),
        }
    }
}
