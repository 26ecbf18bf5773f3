//! Puts messages into a queue that no server uses, and takes them out: `duramen queue import`, and destinations that
//! begin or end to share a log.
//!
//! In: batches, folders. Out: the number of messages in the queue; batches. Holds: the lock of the queue and a few
//! records. Limits: `capacity-bytes()` is not known here and not checked, as at the stop of a server.

use super::{
    contents::{LookError, is_queue, open},
    files::CURSOR,
};
use journal::{CommitError, CursorFile, Durability, Journal, Options, OsDisk, Read, TooLarge};
use message::{Batch, Selection, codec};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// The reasons why messages cannot be appended.
#[derive(Debug)]
pub enum AppendError {
    /// A message is larger than a record may be.
    TooLarge(TooLarge),
    /// The disk refuses them.
    Commit(CommitError),
}

impl fmt::Display for AppendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppendError::TooLarge(error) => error.fmt(f),
            AppendError::Commit(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for AppendError {}

/// A queue that is appended to.
pub struct QueueAppender {
    journal: Journal,
    appended: u64,
}

impl QueueAppender {
    /// Opens the queue of a folder, creating it if it is missing. Refused while a server uses it.
    pub fn open(folder: &Path) -> Result<QueueAppender, LookError> {
        let mut journal = open(folder, Options { durability: Durability::Device, ..Options::default() })?;
        let path = folder.join(CURSOR);
        let cursor = CursorFile::open(&OsDisk, &path).map_err(|error| LookError::Cursor(path, error))?;
        journal.advance(cursor.sequence());
        Ok(QueueAppender { journal, appended: 0 })
    }

    /// Appends all messages of a batch. They are on the disk when this returns.
    pub fn append(&mut self, batch: &Batch) -> Result<(), AppendError> {
        if batch.is_empty() {
            return Ok(());
        }
        let all = Selection::all(batch.len());
        let mut write = |out: &mut Vec<u8>| codec::encode(batch, &all, out);
        // A batch is far below 4 billion messages: it has at most 1 GiB.
        self.journal.append(batch.len() as u32, &mut write).map_err(AppendError::TooLarge)?;
        self.journal.commit().map_err(AppendError::Commit)?;
        self.appended += batch.len() as u64;
        Ok(())
    }

    /// Returns the number of messages that were appended.
    pub fn appended(&self) -> u64 {
        self.appended
    }

    /// Closes the queue.
    pub fn close(self) -> Result<(), AppendError> {
        self.journal.close().map(|_| ()).map_err(AppendError::Commit)
    }
}

/// A queue whose messages are taken out.
pub(crate) struct QueueDrain {
    folder: PathBuf,
    journal: Journal,
    first: u64,
}

impl QueueDrain {
    /// Opens the queue of a folder; `None` when there is none. Refused while a server uses it.
    pub(crate) fn open(folder: &Path) -> Result<Option<QueueDrain>, LookError> {
        if !is_queue(folder) {
            return Ok(None);
        }
        let path = folder.join(CURSOR);
        let journal = open(folder, Options::default())?;
        let cursor = CursorFile::open(&OsDisk, &path).map_err(|error| LookError::Cursor(path, error))?;
        Ok(Some(QueueDrain { folder: folder.to_owned(), journal, first: cursor.sequence() }))
    }

    /// Returns the number of messages that were not delivered.
    pub(crate) fn waiting(&self) -> u64 {
        self.journal.next_sequence().saturating_sub(self.first)
    }

    /// Reads the messages that were not delivered. Returns its damaged parts, one sentence each.
    pub(crate) fn drain(
        &self,
        each: &mut dyn FnMut(&Batch, Selection) -> io::Result<()>,
    ) -> io::Result<Vec<String>> {
        let mut damages = Vec::new();
        let mut reader = self.journal.reader(self.first);
        loop {
            match reader.read().map_err(|error| error.source)? {
                Read::End => return Ok(damages),
                Read::Damage(damage) => damages.push(damage.to_string()),
                Read::Record(record) => match codec::decode(record.payload) {
                    Ok(batch) => {
                        let mut selection = Selection::all(batch.len());
                        let delivered = self.first.saturating_sub(record.sequence);
                        (0..delivered as usize).for_each(|index| selection.remove(index));
                        if !selection.is_empty() {
                            each(&batch, selection)?;
                        }
                    }
                    Err(error) => damages.push(format!("record {}: {error:?}", record.sequence)),
                },
            }
        }
    }

    /// Gives back the space that no waiting message needs. Returns the number of bytes.
    pub(crate) fn shrink(mut self) -> io::Result<u64> {
        CursorFile::open(&OsDisk, &self.folder.join(CURSOR))?.sync()?;
        self.journal.shrink(self.first)
    }

    /// Removes the queue, whose messages are elsewhere now.
    pub(crate) fn remove(self) -> io::Result<()> {
        fs::remove_dir_all(&self.folder)
    }
}
