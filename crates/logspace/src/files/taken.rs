//! The numbers of messages that the journal has, of senders that number their messages: a message that comes again after
//! a crash, because its sender did not learn that it is here, is not stored twice.
//!
//! In: durable messages. Out: at the start, the numbers that the journal had. Holds: the runs of numbers that may come
//! again. The records themselves have them; this file has those of records that the journal removes.
//! Limits: those of [`KnownNumbers`]. A logspace that never saw such a message has no file, and its start costs nothing.

use super::journal_cipher::JournalCipher;
use journal::{Disk, Journal, Read, read_whole, write_whole};
use message::{Batch, KnownNumbers, Numbering, Repeats, Selection, codec};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Name of the file.
const TAKEN_NAME: &str = "numbers-taken";

/// The numbers that the journal has.
pub(crate) struct TakenNumbers {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    taken: KnownNumbers,
    /// The file exists: the next start reads the journal's records.
    exists: bool,
}

impl TakenNumbers {
    /// Reads the file, and the numbers of the records that came after it was written.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        dir: &Path,
        journal: &Journal,
        cipher: &JournalCipher,
    ) -> io::Result<(TakenNumbers, Repeats)> {
        let path = dir.join(TAKEN_NAME);
        let Some(bytes) = read_whole(&*disk, &path)? else {
            let taken = KnownNumbers::default();
            return Ok((TakenNumbers { disk, path, taken, exists: false }, Repeats::default()));
        };
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the numbers of messages cannot be read");
        let (mut taken, below) = KnownNumbers::decode(&bytes).ok_or_else(damaged)?;
        let mut reader = journal.reader(below);
        loop {
            match reader.read().map_err(|error| error.source)? {
                Read::End => break,
                // It is reported where the messages are read.
                Read::Damage(_) => {}
                Read::Record(record) => {
                    let payload = cipher.open_record(record.sequence, record.payload);
                    if let Some((key, runs)) = payload.and_then(|payload| codec::numbers(&payload)) {
                        taken.note_record(&key, &runs);
                    }
                }
            }
        }
        let repeats = Repeats::of(taken.clone());
        Ok((TakenNumbers { disk, path, taken, exists: true }, repeats))
    }

    /// Makes sure that the next start looks for the numbers of these messages, before they are durable.
    pub(crate) fn expect<'a>(
        &mut self,
        mut batches: impl Iterator<Item = &'a Batch>,
        durable: u64,
    ) -> io::Result<()> {
        if self.exists || batches.all(|batch| batch.numbering.is_none()) {
            return Ok(());
        }
        self.save(durable)
    }

    /// Notes messages that are durable.
    pub(crate) fn note(&mut self, numbering: &Numbering, selection: &Selection) {
        self.taken.note(numbering, selection);
    }

    /// Writes the numbers of all records below one, before the journal removes any.
    pub(crate) fn keep(&mut self, durable: u64) -> io::Result<()> {
        if self.exists { self.save(durable) } else { Ok(()) }
    }

    fn save(&mut self, durable: u64) -> io::Result<()> {
        self.taken.prune();
        let mut bytes = Vec::new();
        self.taken.encode(durable, &mut bytes);
        write_whole(&*self.disk, &self.path, &bytes)?;
        self.exists = true;
        Ok(())
    }
}
