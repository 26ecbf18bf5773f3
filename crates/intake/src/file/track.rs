//! Tracks how far a file is acknowledged.
//!
//! In: batches as they are read, their acknowledgements in any order. Out: the position below which everything is
//! acknowledged.
//! Holds: one entry per batch in flight. Limits: the window of the file bounds them. A batch that failed stops the
//! position where it began: it is read again after a restart.

use crate::{batch_reader::Completion, positions::Positions};
use message::Outcome;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

/// The acknowledged position of one file, identified by device, inode and its first bytes.
pub(crate) struct Track {
    name: String,
    positions: Positions,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Identity of the file, see `Tail::identity`.
    identity: String,
    waiting: VecDeque<Waiting>,
    /// Number of the oldest entry of `waiting`.
    first: u64,
    failed: bool,
}

struct Waiting {
    end: u64,
    done: bool,
}

/// The part of a batch's token that moves the position.
pub(super) struct PositionUpdate {
    track: Arc<Track>,
    number: u64,
}

impl Track {
    pub(crate) fn new(name: String, positions: Positions) -> Arc<Track> {
        Arc::new(Track { name, positions, state: Mutex::default() })
    }

    /// The stored identity and position.
    pub(super) fn stored(&self) -> Option<(String, u64)> {
        let stored = self.positions.position(&self.name)?;
        let (identity, offset) = stored.rsplit_once(' ')?;
        Some((identity.to_owned(), offset.parse().ok()?))
    }

    /// Switches to another file. Batches in flight of the previous file no longer count.
    pub(super) fn begin(&self, identity: &str, offset: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.first += state.waiting.len() as u64;
        state.waiting.clear();
        state.identity = identity.to_owned();
        state.failed = false;
        self.positions.begin(&self.name, format!("{identity} {offset}"));
    }

    /// A batch that ends at `end` is forwarded.
    pub(super) fn update(self: &Arc<Track>, end: u64) -> PositionUpdate {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let number = state.first + state.waiting.len() as u64;
        state.waiting.push_back(Waiting { end, done: false });
        PositionUpdate { track: self.clone(), number }
    }

    /// Returns true when no batch of the file is in flight, or one failed, so that the position stays.
    pub(super) fn is_settled(&self) -> bool {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.is_empty() || state.failed
    }

    /// Forgets the stored position.
    pub(super) fn forget(&self) {
        self.positions.remove(&self.name);
    }
}

impl Completion for PositionUpdate {
    fn complete(&self, outcome: Outcome) {
        let mut state = self.track.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(index) = self.number.checked_sub(state.first) else { return };
        if outcome == Outcome::Failed {
            state.failed = true;
        }
        if state.failed {
            return;
        }
        if let Some(waiting) = state.waiting.get_mut(index as usize) {
            waiting.done = true;
        }
        let mut reached = None;
        while state.waiting.front().is_some_and(|waiting| waiting.done) {
            reached = state.waiting.pop_front().map(|waiting| waiting.end);
            state.first += 1;
        }
        if let Some(end) = reached {
            self.track.positions.set(&self.track.name, format!("{} {end}", state.identity));
        }
    }
}
