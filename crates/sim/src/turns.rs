//! Waiting for threads without sleeping: threads say that they are about to wait, and tests look again whenever one does.
//!
//! In: turns of threads. Out: whether a condition came true in time. Holds: how many turns were taken.
//! Limits: a change is seen when its thread takes its next turn; a condition is looked at without a lock held.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Turns of threads that a test waits for.
#[derive(Default)]
pub struct Turns {
    taken: Mutex<u64>,
    more: Condvar,
}

impl Turns {
    /// No turn was taken yet.
    pub const fn new() -> Turns {
        Turns { taken: Mutex::new(0), more: Condvar::new() }
    }

    /// A thread did something that others can see, and is about to wait.
    pub fn take(&self) {
        *self.taken() += 1;
        self.more.notify_all();
    }

    /// Waits until a condition is true; false when that takes longer than `patience`.
    pub fn wait(&self, patience: Duration, mut is_true: impl FnMut() -> bool) -> bool {
        let end = Instant::now() + patience;
        loop {
            let seen = *self.taken();
            if is_true() {
                return true;
            }
            let mut taken = self.taken();
            while *taken == seen {
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return false;
                }
                taken = self.more.wait_timeout(taken, left).unwrap_or_else(PoisonError::into_inner).0;
            }
            if Instant::now() >= end {
                return false;
            }
        }
    }

    fn taken(&self) -> MutexGuard<'_, u64> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
