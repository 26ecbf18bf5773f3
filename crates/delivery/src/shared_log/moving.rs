//! Messages that move from a queue of a destination's own to a log that it shares from now on.
//!
//! In: a destination that joins a log. Out: its messages in the log, before they are removed from the queue: interrupted, they are
//! delivered twice, not lost. Holds: the lock of the queue. Limits: a queue in use is left alone.

use super::files::LogFiles;
use crate::{
    options::DiskBuffer,
    spool::{LookError, QueueDrain},
};
use message::{
    Batch, Selection,
    codec::shared::{self as entry, ConsumerSet, EntryShare},
};
use std::{
    io,
    path::{Path, PathBuf},
};
use transport::InternalLog;

/// Bytes that are made durable together.
const COMMIT_BYTES: usize = 8 << 20;

/// Messages that were moved into a log.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Moved {
    pub(super) messages: u64,
    /// Sequence number of the first.
    pub(super) first: u64,
    /// First sequence number of each file that holds them.
    pub(super) files: Vec<u64>,
}

/// Returns the folder of the queue that a destination has when it shares no log: beside the log.
fn own_queue(log: &Path, name: &str) -> PathBuf {
    log.with_file_name(name)
}

/// Appends to a log what waits in a destination's own queue, which it had before it shared the log.
pub(super) fn take_over(
    files: &mut LogFiles,
    settings: &DiskBuffer,
    name: &str,
    number: usize,
    log: &InternalLog,
) -> io::Result<Moved> {
    let folder = own_queue(&settings.folder, name);
    let mut moved = Moved { first: files.journal.next_sequence(), ..Moved::default() };
    let queue = match QueueDrain::open(&folder) {
        Ok(Some(queue)) => queue,
        Ok(None) => return Ok(moved),
        Err(error @ LookError::InUse(_)) => {
            log.warning(&format!(
                "Messages stay in a queue until the next start; for='{name}', error='{error}'"
            ));
            return Ok(moved);
        }
        Err(error) => return Err(io::Error::other(error.to_string())),
    };
    let failed = |error: &dyn std::fmt::Display| io::Error::other(error.to_string());
    let mut append = |batch: &Batch, selection: Selection| {
        let shares = [EntryShare { consumers: ConsumerSet::of(number), selection: selection.clone() }];
        let count = selection.count();
        let mut write = |out: &mut Vec<u8>| entry::encode(batch, &shares, &selection, out);
        files.journal.append(count as u32, &mut write).map_err(|error| failed(&error))?;
        moved.messages += count as u64;
        if files.journal.staged_bytes() >= COMMIT_BYTES {
            files.journal.commit().map_err(|error| failed(&error))?;
            moved.files.extend(files.journal.file_starts().last());
        }
        Ok(())
    };
    let damages = queue.drain(&mut append)?;
    files.journal.commit().map_err(|error| failed(&error))?;
    moved.files.extend(files.journal.file_starts().last());
    damages
        .iter()
        .for_each(|damage| log.error(&format!("Messages are lost; for='{name}', error='{damage}'")));
    if moved.messages > 0 {
        log.notice(&format!(
            "Took messages over into a shared disk buffer; for='{name}', messages='{}'",
            moved.messages
        ));
    }
    queue.remove()?;
    Ok(moved)
}
