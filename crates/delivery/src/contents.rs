//! Shows users the queues on disk, whether they are a folder of their own or share a log: `duramen queue`.
//!
//! In: folders, files of consumers. Out: the queues in them, summaries and messages. Holds: nothing.
//! Limits: a queue that a running server uses is refused; its figures are in the statistics.

use crate::{
    shared_log::{self, is_consumer},
    spool::{self, LookError, QueueDrain, QueueSummary},
};
use message::Batch;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Returns the queues below a folder, which may itself be one: folders, and files of consumers of a shared log.
pub fn queues(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if is_consumer(folder) || spool::is_queue(folder) {
        return Ok(vec![folder.to_owned()]);
    }
    let shared = shared_log::consumers(folder)?;
    if !shared.is_empty() {
        return Ok(shared);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if spool::is_queue(&path) {
            found.push(path);
        } else if path.is_dir() {
            found.extend(shared_log::consumers(&path)?);
        }
    }
    found.sort();
    Ok(found)
}

/// Reads a queue without removing anything. `each` gets the batches that were not delivered, and how many messages at
/// the start of each were.
pub fn look_into_queue(path: &Path, each: &mut dyn FnMut(&Batch, usize)) -> Result<QueueSummary, LookError> {
    if is_consumer(path) { shared_log::look(path, each) } else { spool::look(path, each) }
}

/// Gives back the space that no waiting message of a queue needs, or of any queue of a shared log. Returns the number of
/// bytes.
pub fn shrink_queue(folder: &Path) -> Result<u64, LookError> {
    if is_shared_log(folder) {
        return shared_log::shrink(folder);
    }
    let queue = QueueDrain::open(folder)?.ok_or_else(|| LookError::NoQueue(folder.to_owned()))?;
    queue.shrink().map_err(|error| LookError::Space(folder.to_owned(), error))
}

/// Returns true for the folder of a log that destinations share.
pub fn is_shared_log(folder: &Path) -> bool {
    shared_log::consumers(folder).is_ok_and(|consumers| !consumers.is_empty())
}

/// Returns true for the file of a destination in a log that it shares.
pub fn is_consumer_file(path: &Path) -> bool {
    is_consumer(path)
}
