//! The number of changes of the store, for those who wait for the next one.
//!
//! In: changes. Out: their number. Holds it.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

/// The number of changes since the start.
#[derive(Default)]
pub(super) struct ChangeCount {
    count: Mutex<u64>,
    changed: Condvar,
}

impl ChangeCount {
    /// Counts a change.
    pub(super) fn add(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Returns the number.
    pub(super) fn now(&self) -> u64 {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for another number than `seen`, at most a time; returns the number.
    pub(super) fn wait(&self, seen: u64, time: Duration) -> u64 {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(count, time, |count| *count == seen);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
