//! Puts messages into a queue that no server uses: `duramen queue import`.
//!
//! In: batches. Out: the number of messages in the queue. Holds: the lock of the queue and one record.
//! Limits: `capacity-bytes()` is not known here and not checked, as at the stop of a server.

use super::{
    contents::{LookError, open},
    files::CURSOR,
};
use journal::{CommitError, CursorFile, Durability, Journal, Options, OsDisk, TooLarge};
use message::{Batch, Selection, codec};
use std::{fmt, path::Path};

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
