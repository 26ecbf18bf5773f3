//! Shows users the contents of a queue on disk: `duramen queue`.
//!
//! In: folders. Out: summaries and messages. Holds: the lock of a queue while it is read.
//! Limits: a queue that a running server uses is refused; its figures are in the statistics.

use super::files::CURSOR;
use journal::{CursorFile, Journal, OpenError, Options, OsDisk, Read, ReadError};
use message::{Batch, codec};
use std::{
    fmt, io,
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
    /// Damaged parts, one sentence each.
    pub damages: Vec<String>,
}

/// Returns true for the folder of a queue.
pub(crate) fn is_queue(folder: &Path) -> bool {
    folder.join(CURSOR).exists()
}

/// The reason why a queue cannot be looked into.
#[derive(Debug)]
pub enum LookError {
    /// The folder holds none.
    NoQueue(PathBuf),
    /// A running server uses it.
    InUse(PathBuf),
    /// Its files cannot be opened.
    Open(OpenError),
    /// The file that says how far it was delivered cannot be read.
    Cursor(PathBuf, io::Error),
    /// A record cannot be read.
    Read(ReadError),
    /// Its space cannot be given back.
    Space(PathBuf, io::Error),
}

impl fmt::Display for LookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LookError::NoQueue(folder) => write!(f, "{} is no queue of a disk buffer", folder.display()),
            LookError::InUse(folder) => write!(f, "{} is in use by a running server", folder.display()),
            LookError::Open(error) => fmt::Display::fmt(error, f),
            LookError::Cursor(path, error) => write!(f, "cannot read {}: {error}", path.display()),
            LookError::Read(error) => fmt::Display::fmt(error, f),
            LookError::Space(folder, error) => write!(f, "cannot shrink {}: {error}", folder.display()),
        }
    }
}

impl std::error::Error for LookError {}

/// Opens the journal of a queue that no server uses.
pub(super) fn open(folder: &Path, options: Options) -> Result<Journal, LookError> {
    match Journal::open(Arc::new(OsDisk), folder, options) {
        Ok((journal, _)) => Ok(journal),
        Err(OpenError::Locked { .. }) => Err(LookError::InUse(folder.to_owned())),
        Err(error) => Err(LookError::Open(error)),
    }
}

/// Reads a queue without removing anything. `each` gets the batches that were not delivered.
pub(crate) fn look(folder: &Path, each: &mut dyn FnMut(&Batch, usize)) -> Result<QueueSummary, LookError> {
    if !is_queue(folder) {
        return Err(LookError::NoQueue(folder.to_owned()));
    }
    let journal = open(folder, Options::default())?;
    let path = folder.join(CURSOR);
    let cursor = CursorFile::open(&OsDisk, &path).map_err(|error| LookError::Cursor(path, error))?;
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
            Err(error) => return Err(LookError::Read(error)),
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
