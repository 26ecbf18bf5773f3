//! Tracks how far each partition is acknowledged.
//!
//! In: batches as they are read, their acknowledgements in any order. Out: for each partition the position below which
//! everything is acknowledged. Holds: one entry for each partition of a batch in flight; partitions that were given up are
//! forgotten, and their late acknowledgements count for nothing. Limits: the window of the source bounds the batches.

use intake::Completion;
use message::Outcome;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A partition of a topic.
pub(super) type Place = (Arc<str>, i32);

/// The records of one partition in a batch: the first offset, and that after the last one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) first: i64,
    pub(super) end: i64,
}

/// The positions of the partitions that are read.
#[derive(Default)]
pub(super) struct Offsets {
    state: Mutex<State>,
    moved: Condvar,
}

#[derive(Default)]
struct State {
    /// Counts the times that a partition began: what was read before does not count any more.
    lives: u64,
    tracks: HashMap<Place, Track>,
}

struct Track {
    life: u64,
    waiting: VecDeque<Waiting>,
    /// Number of the oldest entry of `waiting`.
    oldest: u64,
    reached: Option<i64>,
    /// The first offset of a batch that a destination gave up.
    failed: Option<i64>,
}

struct Waiting {
    range: Range,
    done: bool,
}

/// The part of a batch's token that moves the positions.
pub(super) struct PositionUpdate {
    offsets: Arc<Offsets>,
    shares: Vec<PartitionShare>,
}

struct PartitionShare {
    place: Place,
    life: u64,
    number: u64,
}

impl Offsets {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a partition, or begins it again.
    pub(super) fn begin(&self, place: Place) {
        let mut state = self.lock();
        state.lives += 1;
        let life = state.lives;
        let track = Track { life, waiting: VecDeque::new(), oldest: 0, reached: None, failed: None };
        state.tracks.insert(place, track);
    }

    /// Forgets a partition.
    pub(super) fn end(&self, place: &Place) {
        self.lock().tracks.remove(place);
    }

    /// Returns the partitions that are read.
    pub(super) fn places(&self) -> Vec<Place> {
        self.lock().tracks.keys().cloned().collect()
    }

    /// A batch with these records is forwarded.
    pub(super) fn update(self: &Arc<Offsets>, ranges: Vec<(Place, Range)>) -> PositionUpdate {
        let mut state = self.lock();
        let share = |(place, range): (Place, Range)| {
            let track = state.tracks.get_mut(&place)?;
            let number = track.oldest + track.waiting.len() as u64;
            track.waiting.push_back(Waiting { range, done: false });
            Some(PartitionShare { life: track.life, place, number })
        };
        let shares = ranges.into_iter().filter_map(share).collect();
        drop(state);
        PositionUpdate { offsets: self.clone(), shares }
    }

    /// Takes the positions that have moved since the last call.
    pub(super) fn take_reached(&self) -> Vec<(Place, i64)> {
        let mut state = self.lock();
        let tracks = state.tracks.iter_mut();
        tracks.filter_map(|(place, track)| Some((place.clone(), track.reached.take()?))).collect()
    }

    /// Returns the partitions of which a destination gave up records, with the first of their offsets.
    pub(super) fn failed(&self) -> Vec<(Place, i64)> {
        let state = self.lock();
        state.tracks.iter().filter_map(|(place, track)| Some((place.clone(), track.failed?))).collect()
    }

    /// Waits until nothing of these partitions is in flight, or a destination gave it up. Returns false when it took
    /// longer.
    pub(super) fn wait(&self, places: &[Place], limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let mut state = self.lock();
        loop {
            let is_settled = |place: &Place| {
                let track = state.tracks.get(place);
                track.is_none_or(|track| track.waiting.is_empty() || track.failed.is_some())
            };
            if places.iter().all(is_settled) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            state = self.moved.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Track {
    fn settle(&mut self, number: u64, outcome: Outcome) {
        let index = number.checked_sub(self.oldest).and_then(|index| usize::try_from(index).ok());
        let Some(waiting) = index.and_then(|index| self.waiting.get_mut(index)) else { return };
        match outcome {
            Outcome::Failed => {
                let first = waiting.range.first;
                self.failed = Some(self.failed.map_or(first, |failed| failed.min(first)));
            }
            Outcome::Done => waiting.done = true,
        }
        // A record that failed stays open, so that no position is committed behind it.
        while self.waiting.front().is_some_and(|waiting| waiting.done) {
            self.reached = self.waiting.pop_front().map(|waiting| waiting.range.end);
            self.oldest += 1;
        }
    }
}

impl Completion for PositionUpdate {
    fn complete(&self, outcome: Outcome) {
        let mut state = self.offsets.lock();
        for share in &self.shares {
            let track = state.tracks.get_mut(&share.place).filter(|track| track.life == share.life);
            if let Some(track) = track {
                track.settle(share.number, outcome);
            }
        }
        drop(state);
        self.offsets.moved.notify_all();
    }
}

#[cfg(test)]
mod tests;
