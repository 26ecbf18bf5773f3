//! Shows users what waits in a shared log that no server uses, for each destination.
//!
//! In: the folder of a log, or the file of one of its consumers. Out: summaries and messages. Holds: the lock of the
//! log while it is read. Limits: a log that a running server uses is refused.

use super::files::{LogFiles, Waiting, consumer_of};
use crate::spool::{LookError, QueueSummary};
use journal::{OpenError, OsDisk};
use message::{
    Batch, Selection,
    codec::shared::{Entry, EntryError},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};
use transport::InternalLog;

/// Returns the files of the consumers in a folder, in order: none if it is not that of a shared log.
pub(crate) fn consumers(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if is_consumer(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns true for the file of a consumer.
pub(crate) fn is_consumer(path: &Path) -> bool {
    name_of(path).is_some() && path.is_file()
}

fn name_of(path: &Path) -> Option<&str> {
    consumer_of(path.file_name()?.to_str()?)
}

/// Opens a log that no server uses.
fn open(folder: &Path) -> Result<LogFiles, LookError> {
    LogFiles::open(Arc::new(OsDisk), folder, &InternalLog::new("queue", None)).map_err(|error| match error {
        OpenError::Locked { .. } => LookError::InUse(folder.to_owned()),
        error => LookError::Open(error),
    })
}

/// The messages that wait for one consumer in a log that no server uses, and none can open meanwhile.
pub struct SharedQueue {
    files: LogFiles,
    /// The consumer, by its place among the files.
    place: usize,
}

impl SharedQueue {
    /// Opens the log of the file of a consumer.
    pub fn open(path: &Path) -> Result<SharedQueue, LookError> {
        let no_queue = || LookError::NoQueue(path.to_owned());
        let (folder, name) =
            path.parent().zip(name_of(path)).filter(|_| path.is_file()).ok_or_else(no_queue)?;
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let files = open(folder)?;
        let place = files.absent.iter().position(|(known, _)| known == name).ok_or_else(no_queue)?;
        Ok(SharedQueue { files, place })
    }

    /// Reads what waits, without removing anything. `each` gets batches of it.
    pub fn read(&self, each: &mut dyn FnMut(&Batch, usize)) -> Result<QueueSummary, LookError> {
        let (_, file) = &self.files.absent[self.place];
        let first = file.saved.settled.below;
        let mut summary = QueueSummary { messages: 0, first, bytes: 0, damages: Vec::new() };
        if file.saved.waiting == 0 {
            return Ok(summary);
        }
        let number = file.identity.number;
        let backlog = self.files.backlogs.get(&number).map_or(0, |backlog| backlog.bytes_from(first));
        summary.bytes = backlog + self.files.journal.bytes_from(self.files.needed(number, first));
        let mut read = |waiting: Waiting<'_>| {
            match waiting {
                Waiting::Damage(damage) => summary.damages.push(damage.to_string()),
                Waiting::Entry(sequence, payload) => match read_entry(payload, number) {
                    Ok(None) => {}
                    Ok(Some((batch, selection))) => {
                        let own = batch.copy_of(&selection);
                        summary.messages += own.len() as u64;
                        each(&own, 0);
                    }
                    Err(error) => summary.damages.push(format!("record {sequence}: {error}")),
                },
            }
            Ok(())
        };
        self.files.read_waiting(file, &mut read).map_err(LookError::Read)?;
        Ok(summary)
    }

    /// Removes the consumer from its log: its messages are elsewhere now.
    pub fn remove(mut self) -> io::Result<()> {
        let (name, file) = self.files.absent.swap_remove(self.place);
        self.files.forget(&name, &file.identity)
    }
}

/// Reads what waits for a consumer, without removing anything.
pub(crate) fn look(path: &Path, each: &mut dyn FnMut(&Batch, usize)) -> Result<QueueSummary, LookError> {
    SharedQueue::open(path)?.read(each)
}

fn read_entry(payload: &[u8], number: usize) -> Result<Option<(Batch, Selection)>, EntryError> {
    let entry = Entry::parse(payload)?;
    entry.selection(number).map(|selection| Ok((entry.batch()?, selection))).transpose()
}

/// Gives back the space of a log that no waiting message needs. Returns the number of bytes.
pub(crate) fn shrink(folder: &Path) -> Result<u64, LookError> {
    let mut files = open(folder)?;
    // The files of the consumers were synced when they were opened.
    for (_, file) in &files.absent {
        if let Some(backlog) = files.backlogs.get_mut(&file.identity.number) {
            let below = if file.saved.waiting > 0 { file.saved.settled.below } else { u64::MAX };
            backlog.release(below).map_err(|error| LookError::Space(folder.to_owned(), error))?;
        }
    }
    let needed = files.needed_by_absent().unwrap_or_else(|| files.journal.next_sequence());
    files.journal.shrink(needed).map_err(|error| LookError::Space(folder.to_owned(), error))
}

/// Locks a log that no server uses, until the result is dropped.
pub fn lock_shared_log(folder: &Path) -> Result<SharedLogLock, LookError> {
    open(folder).map(|files| SharedLogLock { _files: files })
}

/// A shared log that no server can open.
pub struct SharedLogLock {
    _files: LogFiles,
}
