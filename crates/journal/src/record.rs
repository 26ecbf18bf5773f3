//! A record in a file: 32 bytes of header, then the payload.
//!
//! In: payload and sequence numbers. Out: bytes with a checksum over both, and back.
//! Limits: [`RECORD_BYTES_MAX`].
//!
//! The salt is the same in all records of a directory and unknown to senders of messages: bytes inside a payload
//! cannot pass for a record when the reader looks for the next one after damage.

use std::array;

/// Longest payload. A batch is bounded well below.
pub const RECORD_BYTES_MAX: usize = 64 << 20;

/// Returns true when a payload may have this many bytes.
pub(crate) fn is_possible(bytes: usize) -> bool {
    bytes <= RECORD_BYTES_MAX
}

/// Length of a record's header.
pub(crate) const RECORD_HEADER_BYTES: usize = 32;

/// A record's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RecordHeader {
    /// CRC-32 of the header after this field and of the payload.
    pub(crate) crc: u32,
    /// Length of the payload.
    pub(crate) length: u32,
    /// Number of sequence numbers that the record covers; 0 for a mark that only records what is durable.
    pub(crate) count: u32,
    /// The first of them.
    pub(crate) sequence: u64,
    /// Everything below was durable when the record was written.
    pub(crate) durable: u64,
}

impl RecordHeader {
    /// Reads a header; `None` when the bytes cannot be one of this directory.
    pub(crate) fn decode(bytes: &[u8], salt: u32) -> Option<RecordHeader> {
        let bytes = bytes.first_chunk::<RECORD_HEADER_BYTES>()?;
        // Behind damage a header is looked for at every byte: nearly always this says no.
        if bytes[8..12] != salt.to_le_bytes() {
            return None;
        }
        let four = |at: usize| u32::from_le_bytes(array::from_fn(|index| bytes[at + index]));
        let eight = |at: usize| u64::from_le_bytes(array::from_fn(|index| bytes[at + index]));
        let header = RecordHeader {
            crc: four(0),
            length: four(4),
            count: four(12),
            sequence: eight(16),
            durable: eight(24),
        };
        let sane = is_possible(header.length as usize)
            && header.durable <= header.sequence
            && header.sequence.checked_add(u64::from(header.count)).is_some();
        sane.then_some(header)
    }

    /// Returns the sequence number after the record.
    pub(crate) fn end(&self) -> u64 {
        self.sequence + u64::from(self.count)
    }

    /// Returns the size of header and payload, in bytes.
    pub(crate) fn total_bytes(&self) -> usize {
        RECORD_HEADER_BYTES + self.length as usize
    }
}

/// Decodes the whole record at the start of `bytes`; `None` when it is cut short or damaged.
pub(crate) fn decode_record(bytes: &[u8], salt: u32) -> Option<(RecordHeader, &[u8])> {
    let header = RecordHeader::decode(bytes, salt)?;
    let whole = bytes.get(..header.total_bytes())?;
    (crc32fast::hash(&whole[4..]) == header.crc).then(|| (header, &whole[RECORD_HEADER_BYTES..]))
}

/// Fills in the header of the record that starts at `start` and ends with `out`.
pub(crate) fn finish_record(
    out: &mut [u8],
    start: usize,
    salt: u32,
    count: u32,
    sequence: u64,
    durable: u64,
) {
    let record = &mut out[start..];
    let length = record.len() - RECORD_HEADER_BYTES;
    assert!(is_possible(length), "record of {length} bytes");
    assert!(durable <= sequence, "record {sequence} says that {durable} is durable");
    record[4..8].copy_from_slice(&(length as u32).to_le_bytes());
    record[8..12].copy_from_slice(&salt.to_le_bytes());
    record[12..16].copy_from_slice(&count.to_le_bytes());
    record[16..24].copy_from_slice(&sequence.to_le_bytes());
    record[24..32].copy_from_slice(&durable.to_le_bytes());
    let crc = crc32fast::hash(&record[4..]);
    record[..4].copy_from_slice(&crc.to_le_bytes());
}

#[cfg(test)]
mod tests;
