//! What a receiver has of the messages of a queue on disk without having them for good: parts of an object that is not complete.
//!
//! In: messages that a receiver has staged, stages that are complete, and such as are lost. Out: the place that the queue must
//! keep everything from; messages that must be read from the disk again; how many were delivered. Holds: one number for each
//! stage, and the places of messages that are to be read again or were settled otherwise. Limits: the receiver bounds its stages.
//!
//! A message that is staged has left the memory of its destination, and is on the disk until its stage is complete. A stage keeps
//! the queue from its first message on, so the others between need no record here: the receiver keeps one, and says at the start
//! what of the queue is not to be read, because it is staged or was delivered.

use crate::sequences::SequenceSet;
use message::RecordId;
use std::{
    collections::BTreeMap,
    fmt,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// The messages of one queue that are staged.
pub struct Staging {
    folder: PathBuf,
    incarnation: u64,
    state: Mutex<State>,
    /// Tells the queue that something has changed.
    wake: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    /// The first message of each stage.
    stages: BTreeMap<u64, u64>,
    /// The first message of each set that is being read again, by its number.
    rereading: BTreeMap<u64, u64>,
    rereads: Vec<(u64, SequenceSet)>,
    next_reread: u64,
    /// Messages of complete stages that were not counted yet, and their bytes.
    delivered: (usize, usize),
    /// Messages that were settled without a stage, and are not below `written`.
    settled: SequenceSet,
    /// Everything below is settled.
    written: u64,
    /// Everything below will not be read at the next start.
    cursor: u64,
    is_disk_short: bool,
}

/// The space that a queue on disk has left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiskSpace {
    /// Less than half of its capacity is used.
    Ample,
    /// Stages should be completed, so that their messages can leave.
    Short,
}

/// The messages that a receiver has from earlier.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StagedBefore {
    /// Messages that the queue must not read: they are staged, or were settled, or are read again by order of the receiver.
    pub known: SequenceSet,
    /// Those of them that were settled.
    pub settled: SequenceSet,
}

impl Staging {
    /// Makes one for a queue in a folder, of which everything below `cursor` is settled.
    pub fn new(folder: PathBuf, incarnation: u64, cursor: u64, wake: Box<dyn Fn() + Send + Sync>) -> Staging {
        let state = State { written: cursor, cursor, ..State::default() };
        Staging { folder, incarnation, state: Mutex::new(state), wake }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the folder of the queue, where a receiver keeps its record.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the place below which nothing is read at the next start.
    pub fn cursor(&self) -> u64 {
        self.lock().cursor
    }

    /// Returns whether a message may be staged: it came from the queue, which has it as long as it is not settled.
    pub fn can_hold(&self, id: RecordId) -> bool {
        let state = self.lock();
        self.is_of_queue(id) && id.sequence >= state.written && !state.settled.has(id.sequence)
    }

    /// Returns whether the queue gave a message its id.
    pub fn is_of_queue(&self, id: RecordId) -> bool {
        id.incarnation == self.incarnation
    }

    /// Keeps the messages of a stage on the disk, of which this is one. Called before their tokens are released.
    pub fn hold(&self, stage: u64, first: u64) {
        let mut state = self.lock();
        let held = state.stages.entry(stage).or_insert(first);
        *held = first.min(*held);
    }

    /// Settles the messages of a stage. The receiver has noted that it is complete.
    pub fn deliver(&self, stage: u64, messages: usize, bytes: usize) {
        let mut state = self.lock();
        state.delivered.0 += messages;
        state.delivered.1 += bytes;
        drop(state);
        self.release(stage);
    }

    /// Keeps the messages of a stage no longer.
    pub fn release(&self, stage: u64) {
        self.lock().stages.remove(&stage);
        (self.wake)();
    }

    /// Reads messages from the disk again, which were staged. Called before their stage is released.
    pub fn read_again(&self, messages: SequenceSet) {
        let Some(first) = messages.first() else { return };
        let mut state = self.lock();
        let number = state.next_reread;
        state.next_reread += 1;
        state.rereading.insert(number, first);
        state.rereads.push((number, messages));
        drop(state);
        (self.wake)();
    }

    /// Notes a message that was settled without a stage.
    pub fn settle(&self, id: RecordId) {
        if self.is_of_queue(id) {
            self.lock().settled.insert(id.sequence);
        }
    }

    /// Returns whether the queue has space for more, or stages should end.
    pub fn disk_space(&self) -> DiskSpace {
        if self.lock().is_disk_short { DiskSpace::Short } else { DiskSpace::Ample }
    }

    /// Notes the space that is left. Returns true when it has become short.
    pub fn set_disk_space(&self, space: DiskSpace) -> bool {
        let is_short = space == DiskSpace::Short;
        let mut state = self.lock();
        !std::mem::replace(&mut state.is_disk_short, is_short) && is_short
    }

    /// Returns the place up to which everything is settled, when everything below `written` has left the memory of the destination.
    pub fn limit(&self, written: u64) -> u64 {
        let mut state = self.lock();
        let lowest = state.stages.values().chain(state.rereading.values()).min().copied();
        let written = lowest.map_or(written, |lowest| written.min(lowest));
        state.written = state.written.max(written);
        let below = state.written;
        state.settled.trim(below);
        written
    }

    /// Notes what was settled before the start.
    pub fn adopt(&self, settled: &SequenceSet) {
        self.lock().settled.extend(settled);
    }

    /// Returns how many messages of a range were settled without a stage.
    pub fn settled_within(&self, range: Range<u64>) -> u64 {
        self.lock().settled.inside(range).iter().map(|run| run.end - run.start).sum()
    }

    /// Notes the place that is on the disk.
    pub fn set_cursor(&self, cursor: u64) {
        self.lock().cursor = cursor;
    }

    /// Returns the messages, and their bytes, that were delivered since the last call.
    pub fn take_delivered(&self) -> (usize, usize) {
        std::mem::take(&mut self.lock().delivered)
    }

    /// Returns the messages that must be read again, each set with what keeps it on the disk meanwhile.
    pub fn take_rereads(self: &Arc<Self>) -> Vec<(SequenceSet, Arc<RereadGuard>)> {
        let rereads = std::mem::take(&mut self.lock().rereads);
        let guard =
            |number| RereadGuard { staging: self.clone(), number, has_failed: AtomicBool::new(false) };
        rereads.into_iter().map(|(number, messages)| (messages, Arc::new(guard(number)))).collect()
    }
}

impl fmt::Debug for Staging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Staging({})", self.folder.display())
    }
}

/// Keeps messages on the disk that are read again, until the last one of them is settled, or staged again.
pub struct RereadGuard {
    staging: Arc<Staging>,
    number: u64,
    has_failed: AtomicBool,
}

impl RereadGuard {
    /// Notes that some of them were given up: they stay on the disk.
    pub fn fail(&self) {
        self.has_failed.store(true, Ordering::Relaxed);
    }
}

impl Drop for RereadGuard {
    fn drop(&mut self) {
        if !*self.has_failed.get_mut() {
            self.staging.lock().rereading.remove(&self.number);
            (self.staging.wake)();
        }
    }
}

#[cfg(test)]
mod tests;
