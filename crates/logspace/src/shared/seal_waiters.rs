//! Callers that want everything sealed now instead of later.
//!
//! In: callers; progress of builder and sealer. Out: the sequence number up to which everything is sealed.
//! Holds: the callers. Limits: [`WAITING_MAX`] at once, further ones are refused.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    mpsc::{self, Receiver, SyncSender},
};

/// Most callers that wait at once: only operators and tests wait here.
const WAITING_MAX: usize = 64;

/// Callers that wait for a seal.
#[derive(Default)]
pub(crate) struct SealWaiters {
    waiting: Mutex<Vec<Waiter>>,
}

struct Waiter {
    /// Everything below this number was durable when the caller asked.
    durable: u64,
    /// The number below which everything must be sealed; none while the active segment is not complete.
    below: Option<u64>,
    done: SyncSender<u64>,
}

impl SealWaiters {
    /// Adds a caller that wants everything below `durable` to be sealed; none when too many wait.
    pub(crate) fn add(&self, durable: u64) -> Option<Receiver<u64>> {
        let mut waiting = self.locked();
        if waiting.len() >= WAITING_MAX {
            return None;
        }
        let (done, receiver) = mpsc::sync_channel(1);
        waiting.push(Waiter { durable, below: None, done });
        Some(receiver)
    }

    /// Returns true when a caller waits for the completion of the active segment, which has everything below
    /// `next`.
    pub(crate) fn are_due(&self, next: u64) -> bool {
        self.locked().iter().any(|waiter| waiter.below.is_none() && waiter.durable <= next)
    }

    /// Notes that the active segment was completed: the callers wait until everything below this number is sealed.
    pub(crate) fn completed(&self, below: u64) {
        let mut waiting = self.locked();
        let due = waiting.iter_mut().filter(|waiter| waiter.below.is_none() && waiter.durable <= below);
        due.for_each(|waiter| waiter.below = Some(below));
    }

    /// Answers the callers for whom everything below a number was enough.
    pub(crate) fn sealed(&self, below: u64) {
        self.locked().retain(|waiter| {
            let is_done = waiter.below.is_some_and(|wanted| wanted <= below);
            if is_done {
                // The caller may no longer be waiting.
                let _ = waiter.done.try_send(below);
            }
            !is_done
        });
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Waiter>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    //! Callers and the numbers below which they want everything sealed.

    use super::*;

    #[test]
    fn a_caller_waits_for_what_was_durable_when_it_asked() {
        let waiters = SealWaiters::default();
        assert!(!waiters.are_due(u64::MAX), "nobody waits");
        let first = waiters.add(10).unwrap();
        let second = waiters.add(20).unwrap();
        assert_eq!([waiters.are_due(9), waiters.are_due(10)], [false, true]);
        waiters.completed(10);
        assert_eq!([waiters.are_due(19), waiters.are_due(20)], [false, true], "the first is on its way");
        waiters.sealed(9);
        assert!(first.try_recv().is_err());
        waiters.sealed(10);
        assert_eq!((first.try_recv(), second.try_recv().is_err()), (Ok(10), true));
        waiters.completed(25);
        assert!(!waiters.are_due(u64::MAX));
        waiters.sealed(24);
        assert!(second.try_recv().is_err());
        waiters.sealed(30);
        assert_eq!(second.try_recv(), Ok(30));
    }

    #[test]
    fn callers_are_bounded() {
        let waiters = SealWaiters::default();
        let kept: Vec<_> = (0..WAITING_MAX).map(|_| waiters.add(1).unwrap()).collect();
        assert!(waiters.add(1).is_none());
        waiters.completed(1);
        waiters.sealed(1);
        assert!(waiters.add(1).is_some());
        assert!(kept.iter().all(|caller| caller.try_recv() == Ok(1)));
    }
}
