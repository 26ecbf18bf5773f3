//! The numbers of messages that the queue took, of senders that number their messages: a message that comes again after
//! a crash, because its sender did not learn that it is here, does not go to the destination twice.
//!
//! In: deliveries that are on the disk. Out: at the start, the numbers that the queue took. Holds: the runs of numbers
//! that may come again. The records themselves have them; this file has those of records that are removed.
//! Limits: those of [`KnownNumbers`]; at the start at most [`SCANNED_BYTES`] of records are read, and those that follow one save. A
//! queue that never took such a message has no file.

use journal::{Disk, Journal, Read, read_whole, write_whole};
use message::{Delivery, KnownNumbers, Repeats, codec};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Name of the file.
const TAKEN: &str = "numbers-taken";
/// After this many bytes of records the file is written again, so that the next start has little to read.
const SCANNED_BYTES: u64 = 64 << 20;

/// The numbers that a queue took.
pub(super) struct TakenNumbers {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    taken: KnownNumbers,
    /// The file exists: the next start reads the records.
    exists: bool,
    /// Bytes of records since it was written.
    unwritten: u64,
}

impl TakenNumbers {
    /// Reads the file, and the numbers of the records that came after it was written.
    pub(super) fn open(
        disk: Arc<dyn Disk>,
        folder: &Path,
        journal: &Journal,
    ) -> io::Result<(TakenNumbers, Repeats)> {
        let path = folder.join(TAKEN);
        let Some(bytes) = read_whole(&*disk, &path)? else {
            let taken = KnownNumbers::default();
            return Ok((TakenNumbers { disk, path, taken, exists: false, unwritten: 0 }, Repeats::default()));
        };
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the numbers of messages cannot be read");
        let (mut taken, below) = KnownNumbers::decode(&bytes).ok_or_else(damaged)?;
        let (mut reader, mut unwritten) = (journal.reader(below), 0);
        loop {
            match reader.read().map_err(|error| error.source)? {
                Read::End => break,
                // It is reported where the messages are read.
                Read::Damage(_) => {}
                Read::Record(record) => {
                    unwritten += record.payload.len() as u64;
                    if let Some((key, runs)) = codec::numbers(record.payload) {
                        taken.note_record(&key, &runs);
                    }
                }
            }
        }
        let repeats = Repeats::of(taken.clone());
        Ok((TakenNumbers { disk, path, taken, exists: true, unwritten }, repeats))
    }

    /// Makes sure that the next start looks for the numbers of these deliveries, before they are on the disk.
    pub(super) fn expect<'a>(
        &mut self,
        mut deliveries: impl Iterator<Item = &'a Delivery>,
        durable: u64,
    ) -> io::Result<()> {
        if self.exists || deliveries.all(|delivery| delivery.batch.numbering.is_none()) {
            return Ok(());
        }
        self.save(durable)
    }

    /// Notes a delivery that is on the disk.
    pub(super) fn note(&mut self, delivery: &Delivery) {
        if let Some(numbering) = &delivery.batch.numbering {
            self.taken.note(numbering, &delivery.selection);
        }
    }

    /// Counts bytes that came to the disk, and writes the file when there are many.
    pub(super) fn grow(&mut self, bytes: u64, durable: u64) -> io::Result<()> {
        self.unwritten += bytes;
        if self.exists && self.unwritten >= SCANNED_BYTES { self.save(durable) } else { Ok(()) }
    }

    /// Writes the numbers of all records below one, before any is removed.
    pub(super) fn keep(&mut self, durable: u64) -> io::Result<()> {
        if self.exists { self.save(durable) } else { Ok(()) }
    }

    fn save(&mut self, durable: u64) -> io::Result<()> {
        self.taken.prune();
        let mut bytes = Vec::new();
        self.taken.encode(durable, &mut bytes);
        write_whole(&*self.disk, &self.path, &bytes)?;
        (self.exists, self.unwritten) = (true, 0);
        Ok(())
    }
}
