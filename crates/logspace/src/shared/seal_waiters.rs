//! SealWaiters to seal now what would be sealed later.
//!
//! In: callers; what builder and sealer did. Out: up to which sequence number everything is sealed.
//! Holds: the callers. Limits: [`WAITING_MAX`] at once, further ones are refused.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    mpsc::{self, Receiver, SyncSender},
};

/// Most who wait at once: it is an operator's or a test's waiter.
const WAITING_MAX: usize = 64;

/// Callers that wait for a seal.
#[derive(Default)]
pub(crate) struct SealWaiters {
    waiting: Mutex<Vec<Waiter>>,
}

struct Waiter {
    /// Everything below was durable when the caller asked.
    durable: u64,
    /// The sequence number that is to be sealed below; none while the active segment is not complete.
    below: Option<u64>,
    done: SyncSender<u64>,
}

impl SealWaiters {
    /// Somebody wants everything that is durable now, which is below a number, to be sealed.
    pub(crate) fn add(&self, durable: u64) -> Option<Receiver<u64>> {
        let mut waiting = self.locked();
        if waiting.len() >= WAITING_MAX {
            return None;
        }
        let (done, receiver) = mpsc::sync_channel(1);
        waiting.push(Waiter { durable, below: None, done });
        Some(receiver)
    }

    /// Returns true when a caller waits for the active segment to be completed, which has everything below a number.
    pub(crate) fn are_due(&self, next: u64) -> bool {
        self.locked().iter().any(|waiter| waiter.below.is_none() && waiter.durable <= next)
    }

    /// The active segment was completed: what is sealed below this number is what the callers asked for.
    pub(crate) fn completed(&self, below: u64) {
        let mut waiting = self.locked();
        let due = waiting.iter_mut().filter(|waiter| waiter.below.is_none() && waiter.durable <= below);
        due.for_each(|waiter| waiter.below = Some(below));
    }

    /// Everything below a number is sealed.
    pub(crate) fn sealed(&self, below: u64) {
        self.locked().retain(|waiter| {
            let is_done = waiter.below.is_some_and(|wanted| wanted <= below);
            if is_done {
                // The caller may not wait any more.
                let _ = waiter.done.try_send(below);
            }
            !is_done
        });
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Waiter>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
