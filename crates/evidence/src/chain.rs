//! The chain: all records of a logspace in one text, each naming the digest of the previous one.
//!
//! In: the text, then records as they are appended to its file. Out: the records; the bytes that are not records. A
//! torn end, as a power cut leaves it, is not damage: the keeper of the file cuts it off.
//! Holds: the records, about 400 bytes per segment.
//! Limits: damage in the middle costs the records it hit and is reported.

use crate::{
    digest::Digest,
    record::{Event, Record},
};
use std::{collections::HashMap, path::PathBuf};

/// Bytes of the file that are no record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChainDamage {
    /// Offset of the first one in the file.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// Positions of the newest records about a segment.
#[derive(Clone, Copy, Default, Debug)]
struct Newest {
    /// Index of the record of its contents, or of its removal.
    contents: Option<usize>,
    /// Index of the record of its file's last move.
    moved: Option<usize>,
    /// Index of the record of its path in the archive.
    archived: Option<usize>,
}

/// The records of a logspace.
#[derive(Clone, Default, Debug)]
pub struct Chain {
    records: Vec<Record>,
    /// The newest records by the first sequence number of their segment.
    newest: HashMap<u64, Newest>,
    /// A newer version of the program wrote some.
    is_newer: bool,
    /// Ranges of bytes that are no record, except for a torn end.
    damages: Vec<ChainDamage>,
    /// Offset at which the next record is appended.
    length: u64,
    /// Number of bytes after that.
    torn: u64,
}

impl Chain {
    /// Reads the bytes of a file.
    pub fn parse(bytes: &[u8]) -> Chain {
        let mut chain = Chain::default();
        let mut bad = None;
        let mut at = 0;
        while at < bytes.len() {
            let end = memchr::memmem::find(&bytes[at..], b"\n\n").map(|found| at + found + 2);
            let text = end.and_then(|end| std::str::from_utf8(&bytes[at..end]).ok());
            let record = text.and_then(Record::parse);
            let next = end.unwrap_or(bytes.len());
            chain.is_newer |= record.is_none() && text.is_some_and(Record::is_newer);
            if let Some(record) = record {
                let start = bad.take().unwrap_or(at);
                if start < at {
                    chain.damages.push(ChainDamage { offset: start as u64, bytes: (at - start) as u64 });
                }
                chain.push(record);
                chain.length = next as u64;
            } else {
                bad.get_or_insert(at);
            }
            at = next;
        }
        debug_assert!(chain.length <= bytes.len() as u64, "records beyond the end of the file");
        chain.torn = bytes.len() as u64 - chain.length;
        chain
    }

    /// The records.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Returns the ranges of bytes in the middle that are no record.
    pub fn damages(&self) -> &[ChainDamage] {
        &self.damages
    }

    /// Returns true when a newer version of the program wrote records that this one cannot read.
    pub fn is_newer(&self) -> bool {
        self.is_newer
    }

    /// Bytes at the end that are no record.
    pub fn torn_bytes(&self) -> u64 {
        self.torn
    }

    /// Length in bytes up to the end of the last record: where the file of the chain is cut, and the next record goes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Adds a record that was appended to the file, at [`Chain::length`], as printed by [`Record::print`].
    ///
    /// # Panics
    /// When bytes at the end that are not a record were not cut off first, or the record's number does not increase.
    pub fn appended(&mut self, record: Record) {
        assert!(self.torn == 0, "a torn end is cut off first");
        assert!(record.number >= self.next_number(), "records are numbered upwards");
        self.length += record.print().len() as u64;
        self.push(record);
    }

    /// Notes that the file was cut at [`Chain::length`]; returns what is gone, none when nothing was torn.
    pub fn cut_torn(&mut self) -> Option<ChainDamage> {
        let cut = (self.torn > 0).then_some(ChainDamage { offset: self.length, bytes: self.torn });
        self.torn = 0;
        cut
    }

    /// Number of the next record.
    pub fn next_number(&self) -> u64 {
        self.records.last().map_or(0, |record| record.number + 1)
    }

    /// Returns the digest that the next record names as that of the one before.
    pub fn head(&self) -> Digest {
        self.records.last().map_or(Digest::default(), Record::digest)
    }

    /// Returns the record of the current state of the segment that starts at a number; `None` when there was none
    /// or it was removed.
    pub fn current(&self, first: u64) -> Option<&Record> {
        self.last_contents(first).filter(|record| !matches!(record.event, Event::Removal(_)))
    }

    /// Returns the newest record of the contents, or the removal, of the segment that starts at a number.
    pub fn last_contents(&self, first: u64) -> Option<&Record> {
        self.records.get(self.newest.get(&first)?.contents?)
    }

    /// Returns the last move of the segment that starts at a number; none when it never was moved.
    pub fn last_move(&self, first: u64) -> Option<&Event> {
        self.records.get(self.newest.get(&first)?.moved?).map(|record| &record.event)
    }

    /// Returns the path in the archive to which the segment that starts at a number last went.
    pub fn archive_place(&self, first: u64) -> Option<PathBuf> {
        let record = self.records.get(self.newest.get(&first)?.archived?)?;
        let Event::Archive(place) = &record.event else { return None };
        place.split_once(' ').map(|(_, path)| PathBuf::from(path))
    }

    /// First sequence numbers of all segments that there are or were, ascending.
    pub fn firsts(&self) -> Vec<u64> {
        let mut firsts: Vec<u64> = self.newest.keys().copied().collect();
        firsts.sort_unstable();
        firsts
    }

    /// Returns the sequence number after all segments in the chain. Messages that the journal lost may come after
    /// others that are not sealed yet, and does not count.
    pub fn end(&self) -> u64 {
        let segments = self.records.iter().filter(|record| record.event != Event::Gap);
        segments.map(Record::end).max().unwrap_or(0)
    }

    /// Returns true when a record follows the last one.
    pub fn continues(&self, record: &Record) -> bool {
        (record.number, record.previous) == (self.next_number(), self.head())
    }

    /// Returns true when the chain has a record.
    pub fn has(&self, record: &Record) -> bool {
        let at = self.records.binary_search_by_key(&record.number, |known| known.number);
        at.is_ok_and(|at| self.records[at] == *record)
    }

    fn push(&mut self, record: Record) {
        if record.event == Event::Gap {
            // No segment begins there, or a different one was sealed up to there.
            return self.records.push(record);
        }
        let at = Some(self.records.len());
        let newest = self.newest.entry(record.segment.first).or_default();
        match &record.event {
            Event::Archive(_) => (newest.moved, newest.archived) = (at, at),
            Event::Restore => newest.moved = at,
            event if event.is_of_contents() => newest.contents = at,
            _ => {}
        }
        self.records.push(record);
    }
}

#[cfg(test)]
mod tests;
