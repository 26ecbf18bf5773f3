//! The messages of a process that destinations have.
//!
//! In: outcomes of batches, in any order. Out: runs of message numbers. Holds: the runs until they are taken. Limits: the window of the
//! source bounds them.

use intake::Completion;
use message::Outcome;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// The acknowledgements of the messages of one process. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Acknowledged(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    runs: Vec<(u64, u32)>,
    waiting: usize,
    has_failed: bool,
}

/// The part of a batch's token.
struct Run {
    book: Acknowledged,
    first: u64,
    count: u32,
}

impl Acknowledged {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the part of the token of a batch with messages of these numbers.
    pub(super) fn run(&self, first: u64, count: usize) -> Box<dyn Completion> {
        self.lock().waiting += 1;
        // A frame of eight million bytes has fewer messages.
        Box::new(Run { book: self.clone(), first, count: count as u32 })
    }

    /// Takes the runs that were acknowledged since, in the order of their numbers. `None` when a destination gave messages up.
    pub(super) fn take(&self) -> Option<Vec<(u64, u32)>> {
        let mut state = self.lock();
        let mut runs = std::mem::take(&mut state.runs);
        runs.sort_unstable();
        (!state.has_failed).then_some(runs)
    }

    /// Returns true when no destination has anything to acknowledge.
    pub(super) fn is_settled(&self) -> bool {
        self.lock().waiting == 0
    }

    /// Waits until a batch is acknowledged.
    pub(super) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}

impl Completion for Run {
    fn complete(&self, outcome: Outcome) {
        let mut state = self.book.lock();
        state.waiting -= 1;
        match outcome {
            Outcome::Done => state.runs.push((self.first, self.count)),
            Outcome::Failed => state.has_failed = true,
        }
        drop(state);
        self.book.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    //! Runs, in order and failed.

    use super::*;

    #[test]
    fn runs_come_in_the_order_of_their_numbers() {
        let book = Acknowledged::default();
        let (one, two, three) = (book.run(0, 2), book.run(2, 1), book.run(3, 5));
        assert!(!book.is_settled());
        three.complete(Outcome::Done);
        one.complete(Outcome::Done);
        assert_eq!(book.take(), Some(vec![(0, 2), (3, 5)]));
        two.complete(Outcome::Failed);
        assert_eq!(book.take(), None);
        assert!(book.is_settled());
    }
}
