//! Wishes to seal now what would be sealed later.
//!
//! In: somebody who waits; what builder and sealer did. Out: up to which sequence number everything is sealed.
//! Holds: who waits. Limits: [`WISHES_MAX`] at once, further ones are refused.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    mpsc::{self, Receiver, SyncSender},
};

/// Most who wait at once: it is an operator's or a test's wish.
const WISHES_MAX: usize = 64;

#[derive(Default)]
pub(crate) struct Wishes {
    waiting: Mutex<Vec<Wish>>,
}

struct Wish {
    /// Everything below was durable when it was wished for.
    durable: u64,
    /// The sequence number that is to be sealed below; none while the active segment is not complete.
    below: Option<u64>,
    done: SyncSender<u64>,
}

impl Wishes {
    /// Somebody wants everything that is durable now, which is below a number, to be sealed.
    pub(crate) fn add(&self, durable: u64) -> Option<Receiver<u64>> {
        let mut waiting = self.locked();
        if waiting.len() >= WISHES_MAX {
            return None;
        }
        let (done, receiver) = mpsc::sync_channel(1);
        waiting.push(Wish { durable, below: None, done });
        Some(receiver)
    }

    /// Whether a wish waits for the active segment, which has everything below a number.
    pub(crate) fn are_due(&self, next: u64) -> bool {
        self.locked().iter().any(|wish| wish.below.is_none() && wish.durable <= next)
    }

    /// The active segment was completed: what is sealed below this number is what was wished for.
    pub(crate) fn completed(&self, below: u64) {
        let mut waiting = self.locked();
        let due = waiting.iter_mut().filter(|wish| wish.below.is_none() && wish.durable <= below);
        due.for_each(|wish| wish.below = Some(below));
    }

    /// Everything below a number is sealed.
    pub(crate) fn sealed(&self, below: u64) {
        self.locked().retain(|wish| {
            let is_done = wish.below.is_some_and(|wanted| wanted <= below);
            if is_done {
                // Who wished for it may not wait any more.
                let _ = wish.done.try_send(below);
            }
            !is_done
        });
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Wish>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
