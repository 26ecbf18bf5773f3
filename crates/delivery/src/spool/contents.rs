//! What is in a queue on disk, for people: `duramen queue`.
//!
//! In: folders. Out: summaries and messages. Holds: the lock of a queue while it is looked into.
//! Limits: a queue that a running server uses is refused; its figures are in the statistics.

use super::files::CURSOR;
use journal::{CursorFile, Journal, OpenError, Options, OsDisk, Read};
use message::{Batch, codec};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Summary of the contents of a queue.
#[derive(Clone, Debug, Default)]
pub struct QueueSummary {
    /// Messages that were not delivered.
    pub messages: u64,
    /// Sequence number of the first of them.
    pub first: u64,
    /// Bytes of its files.
    pub bytes: u64,
    /// Damaged places, one sentence each.
    pub damages: Vec<String>,
}

/// The queues below a folder, which may itself be one.
pub fn queues(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if folder.join(CURSOR).exists() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.join(CURSOR).exists() {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Looks through a queue. `each` gets the batches that were not delivered; nothing is taken out.
pub fn look(folder: &Path, each: &mut dyn FnMut(&Batch, usize)) -> Result<QueueSummary, String> {
    if !folder.join(CURSOR).exists() {
        return Err(format!("{} is no queue of a disk buffer", folder.display()));
    }
    let (journal, _) =
        Journal::open(Arc::new(OsDisk), folder, Options::default()).map_err(|error| match error {
            OpenError::Locked { .. } => format!("{} is in use by a running server", folder.display()),
            error => error.to_string(),
        })?;
    let cursor = CursorFile::open(&OsDisk, &folder.join(CURSOR)).map_err(|error| error.to_string())?;
    let first = cursor.sequence();
    let mut summary = QueueSummary {
        messages: journal.next_sequence().saturating_sub(first),
        first,
        bytes: journal.file_bytes(),
        damages: Vec::new(),
    };
    let mut reader = journal.reader(first);
    loop {
        match reader.read() {
            Err(error) => return Err(error.to_string()),
            Ok(Read::End) => return Ok(summary),
            Ok(Read::Damage(damage)) => {
                summary.messages -= (damage.lost.end - damage.lost.start).min(summary.messages);
                summary.damages.push(damage.to_string());
            }
            Ok(Read::Record(record)) => match codec::decode(record.payload) {
                Ok(batch) => each(&batch, first.saturating_sub(record.sequence) as usize),
                Err(error) => summary.damages.push(format!("record {}: {error:?}", record.sequence)),
            },
        }
    }
}
