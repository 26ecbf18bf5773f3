//! The backlog of one consumer: what waits for it, moved out of the log, which its neighbours can then shorten.
//!
//! In: entries of the log, in its order. Out: the same, with the sequence numbers that they had there, so that what is settled, what is on
//! its way and the ids of messages stay what they are. Holds: a journal in a folder inside that of the log. Described in
//! `docs/format/shared-log.md`.
//! Limits: only what is for the consumer is copied, once. An entry leaves the log when it is durable here: a crash leaves it in one place or
//! in both, and the one here is read.

use super::{file_index::FileIndex, progress::Identity};
use crate::spool::aside::keep_file;
use journal::{Disk, Durability, Journal, OpenError, Options, Read, Reader, Record};
use message::codec::shared::{self as entry, ConsumerSet, Entry, EntryShare};
use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};
use transport::InternalLog;

/// First part of the name of the folder.
const PREFIX: &str = "backlog-";
/// Bytes before the entry in a record: how many sequence numbers before those of the entry the record covers too.
const START_BYTES: usize = 4;
/// Most sequence numbers that a record covers beside those of its entry.
const GAP_MAX: u64 = u32::MAX as u64 / 2;
/// Files are as long as those of a log can be.
const FILE_BYTES: u64 = 4 << 20;
/// Bytes that an empty backlog may keep.
const KEPT_BYTES: u64 = 64 << 10;

/// An open backlog.
pub(super) struct Backlog {
    journal: Journal,
    /// Everything for the consumer below this sequence number of the log is here, or settled.
    moved: u64,
    /// Reads what is being moved; `None` while nothing is.
    mover: Option<Reader>,
}

/// The parts of the log that entries are moved out of.
pub(super) struct LogParts<'a> {
    pub(super) journal: &'a Journal,
    pub(super) index: &'a FileIndex,
    pub(super) log: &'a InternalLog,
}

/// Returns the folder of the backlog of a consumer.
pub(super) fn folder(log: &Path, identity: &Identity) -> PathBuf {
    // Not by name, which `duramen queue assign` changes.
    log.join(format!("{PREFIX}{:016x}", identity.incarnation))
}

impl Backlog {
    /// Opens the backlog of a consumer, creating it if it is missing.
    pub(super) fn open(disk: Arc<dyn Disk>, folder: &Path) -> Result<Backlog, OpenError> {
        let options =
            Options { file_bytes_max: FILE_BYTES, durability: Durability::Device, spare_files_max: 0 };
        let (journal, _) = Journal::open(disk, folder, options)?;
        let moved = journal.durable_sequence();
        Ok(Backlog { journal, moved, mover: None })
    }

    /// Returns the sequence number below which it holds everything that is not settled.
    pub(super) fn moved(&self) -> u64 {
        self.moved
    }

    /// Returns whether something at or above a sequence number is in it.
    pub(super) fn holds(&self, sequence: u64) -> bool {
        sequence < self.journal.durable_sequence()
    }

    /// Returns how many bytes it has from a sequence number on.
    pub(super) fn bytes_from(&self, sequence: u64) -> u64 {
        if self.holds(sequence) { self.journal.bytes_from(sequence) } else { 0 }
    }

    /// Returns the first sequence number of each of its files.
    pub(super) fn file_starts(&self) -> Vec<u64> {
        self.journal.file_starts()
    }

    pub(super) fn reader(&self, from: u64) -> Reader {
        self.journal.reader(from)
    }

    /// Returns whether entries are being moved.
    pub(super) fn is_moving(&self) -> bool {
        self.mover.is_some()
    }

    /// Moves what the log has for a consumer, about so many bytes of the log. Returns true when there is more to move. That everything
    /// below `lowest` is settled must be durable: it begins there.
    pub(super) fn take(
        &mut self,
        identity: &Identity,
        lowest: u64,
        bytes: usize,
        log: &LogParts<'_>,
    ) -> io::Result<bool> {
        let durable = log.journal.durable_sequence();
        let from = self.moved.max(lowest);
        let reader = self.mover.take().filter(|reader| reader.next_sequence() >= from);
        let mut reader = reader.unwrap_or_else(|| log.journal.reader(from));
        // After a write that the disk refused, the journal still holds its messages in memory: they are written first.
        if self.journal.staged_bytes() == 0 && !self.holds(lowest) {
            self.journal.advance(lowest);
        }
        let mut left = bytes;
        let mut end = None;
        while left > 0 && end.is_none() {
            let next = reader.next_sequence();
            if let Some(to) = log.index.skip(next, identity.number, durable) {
                reader = log.journal.reader(to);
                continue;
            }
            match reader.read().map_err(|error| error.source)? {
                Read::End => end = Some(durable),
                Read::Damage(damage) => keep_file(&damage, log.log),
                Read::Record(record) => {
                    left = left.saturating_sub(record.payload.len().max(1));
                    if record.sequence >= self.journal.next_sequence() {
                        self.append(&record, identity)?;
                    }
                }
            }
        }
        self.journal.commit().map_err(|error| error.source)?;
        self.moved = self.moved.max(end.unwrap_or(reader.next_sequence()));
        let has_more = self.moved < durable;
        self.mover = has_more.then_some(reader);
        Ok(has_more)
    }

    /// Stages what an entry has for the consumer, if it has something.
    fn append(&mut self, record: &Record<'_>, identity: &Identity) -> io::Result<()> {
        let Ok(entry) = Entry::parse(record.payload) else { return Ok(()) };
        let Some(selection) = entry.selection(identity.number) else { return Ok(()) };
        while record.sequence - self.journal.next_sequence() > GAP_MAX {
            self.stage(GAP_MAX as u32, &mut |_| {})?;
        }
        let gap = (record.sequence - self.journal.next_sequence()) as u32;
        let mut start = gap.to_le_bytes().to_vec();
        if selection.count() as u32 == record.count {
            start.extend_from_slice(record.payload);
        } else {
            // Others get messages of it that this consumer does not. An id counts only those that it gets.
            let Ok(batch) = entry.batch() else { return Ok(()) };
            let shares =
                [EntryShare { consumers: ConsumerSet::of(identity.number), selection: selection.clone() }];
            entry::encode(&batch, &shares, &selection, &mut start);
        }
        self.stage(gap + record.count, &mut |out| out.extend_from_slice(&start))
    }

    fn stage(&mut self, count: u32, write: &mut dyn FnMut(&mut Vec<u8>)) -> io::Result<()> {
        self.journal.append(count, write).map(|_| ()).map_err(|error| io::Error::other(error.to_string()))
    }

    /// Returns whether [`Backlog::release`] would free a file, or most of the last one.
    pub(super) fn can_release(&self, below: u64) -> bool {
        let is_empty = !self.holds(below) && self.journal.file_bytes() > KEPT_BYTES;
        is_empty || self.journal.can_release(below)
    }

    /// Removes the files that hold nothing at or above a sequence number, all of them if nothing is left. That what is below is settled
    /// must be durable.
    pub(super) fn release(&mut self, below: u64) -> io::Result<()> {
        match self.holds(below) {
            true => self.journal.release(below).map(|_| ()),
            false => self.journal.shrink(below).map(|_| ()),
        }
    }
}

/// Returns the sequence numbers of an entry in the log, and its bytes, from a record of a backlog.
pub(super) fn unpack<'r>(record: &Record<'r>) -> (Range<u64>, &'r [u8]) {
    let end = record.sequence + u64::from(record.count);
    match record.payload.split_first_chunk::<START_BYTES>() {
        Some((gap, entry)) => (record.sequence + u64::from(u32::from_le_bytes(*gap))..end, entry),
        // It only covers numbers.
        None => (record.sequence..end, &[]),
    }
}
