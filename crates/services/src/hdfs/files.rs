//! The files that are written.
//!
//! In: what was appended. Out: where to append, and what an attempt without an answer may have left. Holds: a record for
//! each file. Limits: [`FILES_MAX`]; the one that rested longest is forgotten first.

use message::RecordId;
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// Most files that are remembered. A forgotten one is not written any more, and counts as finished.
pub(super) const FILES_MAX: usize = 1000;

/// Bytes that were sent, and whose answer did not come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Doubt {
    /// The messages.
    pub(super) ids: Vec<RecordId>,
    /// Their bytes.
    pub(super) bytes: Vec<u8>,
}

/// A file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct OpenFile {
    /// Its path.
    pub(super) path: String,
    /// Bytes that are known to be in it.
    pub(super) length: u64,
    /// Bytes that may be in it, after these.
    pub(super) doubt: Option<Doubt>,
    /// When something was appended last.
    pub(super) last: Instant,
}

/// The part of bytes in doubt that a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Remainder {
    /// All of them from here on are missing; 0: none is there.
    From(usize),
    /// The file is shorter or longer than anything that we wrote: somebody else changed it.
    Foreign,
}

impl OpenFile {
    pub(super) fn new(path: String, length: u64) -> OpenFile {
        OpenFile { path, length, doubt: None, last: Instant::now() }
    }

    /// Compares the length of a file with what may be in it.
    pub(super) fn remainder(&self, length: u64) -> Remainder {
        let doubtful = self.doubt.as_ref().map_or(0, |doubt| doubt.bytes.len());
        match length.checked_sub(self.length).and_then(|more| usize::try_from(more).ok()) {
            Some(more) if more <= doubtful => Remainder::From(more),
            _ => Remainder::Foreign,
        }
    }

    /// The bytes in doubt are all there now. Returns how many of the messages that are sent next they are: all of them, if
    /// these begin with the same messages.
    pub(super) fn settle(&mut self, ids: impl ExactSizeIterator<Item = RecordId>) -> usize {
        let Some(doubt) = self.doubt.take() else { return 0 };
        self.length += doubt.bytes.len() as u64;
        let count = doubt.ids.len();
        let is_same = ids.len() >= count && ids.take(count).eq(doubt.ids.iter().copied());
        if is_same { count } else { 0 }
    }
}

/// The files of a connection, by the group of their messages.
#[derive(Default)]
pub(super) struct Files {
    open: HashMap<String, OpenFile>,
}

impl Files {
    pub(super) fn take(&mut self, group: &str) -> Option<OpenFile> {
        self.open.remove(group)
    }

    /// Remembers a file. Returns the one that is forgotten for it.
    pub(super) fn put(&mut self, group: &str, file: OpenFile) -> Option<OpenFile> {
        let mut forgotten = None;
        if self.open.len() >= FILES_MAX && !self.open.contains_key(group) {
            let settled = self.open.iter().filter(|(_, file)| file.doubt.is_none());
            let oldest = settled.min_by_key(|(_, file)| file.last).map(|(group, _)| group.clone());
            forgotten = oldest.and_then(|group| self.open.remove(&group));
        }
        self.open.insert(group.to_owned(), file);
        forgotten
    }

    /// Returns when the next file is finished that gets no message.
    pub(super) fn next_reap(&self, reap_after: Duration) -> Option<Instant> {
        let settled = self.open.values().filter(|file| file.doubt.is_none());
        settled.map(|file| file.last + reap_after).min()
    }

    /// Takes a file that got no message for long.
    pub(super) fn take_idle(&mut self, reap_after: Duration, now: Instant) -> Option<OpenFile> {
        let is_idle = |file: &OpenFile| file.doubt.is_none() && file.last + reap_after <= now;
        let group = self.open.iter().find(|(_, file)| is_idle(file)).map(|(group, _)| group.clone())?;
        self.open.remove(&group)
    }
}
