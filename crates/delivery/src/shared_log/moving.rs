//! Messages that move between a queue of a destination's own and a log that it shares.
//!
//! In: a destination that joins a log, or does not run. Out: its messages in the other place, before they are removed
//! from the first: interrupted, they are delivered twice, not lost. Holds: the lock of the queue.
//! Limits: a queue in use is left alone.

use super::{
    entry::{self, ConsumerSet, Entry, EntryShare},
    files::LogFiles,
};
use crate::{
    options::DiskBuffer,
    spool::{LookError, QueueAppender, QueueDrain},
};
use journal::Read;
use message::{Batch, Selection};
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

/// Moves the messages for destinations that do not run to queues of their own, when they keep more of the log than
/// their `capacity-bytes()` and a file was begun since they ended. At a stop, when all end, nothing is moved.
pub(super) fn relieve(files: &mut LogFiles, log: &InternalLog) -> io::Result<()> {
    let journal = &files.journal;
    let newest_file = journal.file_starts().last().copied().unwrap_or(0);
    let is_too_much = |(_, file): &(String, super::progress::ProgressFile)| {
        let saved = &file.saved;
        saved.waiting > 0
            && journal.bytes_from(saved.settled.below) > saved.capacity_bytes
            && newest_file > saved.end
    };
    let Some(place) = files.absent.iter().position(is_too_much) else { return Ok(()) };
    let (name, file) = &files.absent[place];
    let folder = own_queue(&files.folder, name);
    let mut queue = match QueueAppender::open(&folder) {
        Ok(queue) => queue,
        // The destination has a queue of its own now, and runs: `duramen queue import` can move them.
        Err(LookError::InUse(_)) => return Ok(()),
        Err(error) => return Err(io::Error::other(error.to_string())),
    };
    let failed = |error: &dyn std::fmt::Display| io::Error::other(error.to_string());
    let mut reader = files.journal.reader(file.saved.settled.below);
    loop {
        match reader.read().map_err(|error| error.source)? {
            Read::End => break,
            Read::Damage(_) => {}
            Read::Record(record) => {
                let range = record.sequence..record.sequence + u64::from(record.count);
                let entry = Entry::parse(record.payload).ok().filter(|_| !file.saved.settled.has(&range));
                let selection = entry.as_ref().and_then(|entry| entry.selection(file.identity.number));
                if let (Some(entry), Some(selection)) = (entry, selection)
                    && let Ok(batch) = entry.batch()
                {
                    queue.append_some(&batch, &selection).map_err(|error| failed(&error))?;
                }
            }
        }
    }
    let messages = queue.appended();
    queue.close().map_err(|error| failed(&error))?;
    files.forget(name)?;
    log.warning(&format!(
        "Messages for a destination that does not run kept too much of a shared disk buffer, they are in a queue of their \
         own now; queue='{}', messages='{messages}'",
        folder.display()
    ));
    files.absent.remove(place);
    Ok(())
}
