//! What tests see of the threads that wait in queues.
//!
//! In: who begins to wait. Out: how often that was, and a wake-up for the tests.

use super::{Queue, TURNS};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Counts of one queue.
#[derive(Default)]
pub(crate) struct Observed {
    /// How often its taker began to wait.
    waits: AtomicU64,
    /// How often somebody waited for room.
    held_back: AtomicU64,
}

impl Observed {
    pub(super) fn waits(&self) {
        self.waits.fetch_add(1, SeqCst);
        TURNS.take();
    }

    pub(super) fn held_back(&self) {
        self.held_back.fetch_add(1, SeqCst);
        TURNS.take();
    }
}

impl<T> Queue<T> {
    /// Returns how often the taker began to wait.
    pub(crate) fn waits(&self) -> u64 {
        self.observed.waits.load(SeqCst)
    }

    /// Returns true when somebody had to wait for room.
    pub(crate) fn held_back(&self) -> bool {
        self.observed.held_back.load(SeqCst) > 0
    }
}
