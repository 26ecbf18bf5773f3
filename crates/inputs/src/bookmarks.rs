//! Positions below which everything is acknowledged.
//!
//! In: a position for each batch, outcomes of batches in any order. Out: the position behind the last batch of those that are
//! all acknowledged. Holds: the positions of batches in flight. Limits: the window of the source bounds them.

use intake::Completion;
use message::Outcome;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// The batches of a source, or of a part of it, that are in flight. Clones share them.
pub(crate) struct Bookmarks<P>(Arc<Shared<P>>);

struct Shared<P> {
    state: Mutex<State<P>>,
    changed: Arc<Notify>,
}

struct State<P> {
    /// The number of the first entry.
    first: u64,
    batches: VecDeque<Entry<P>>,
    has_failed: bool,
}

struct Entry<P> {
    behind: P,
    is_done: bool,
}

/// The part of a batch's token.
struct Bookmark<P> {
    book: Bookmarks<P>,
    number: u64,
}

impl<P> Clone for Bookmarks<P> {
    fn clone(&self) -> Bookmarks<P> {
        Bookmarks(self.0.clone())
    }
}

impl<P> Default for Bookmarks<P> {
    fn default() -> Bookmarks<P> {
        Bookmarks::notifying(Arc::default())
    }
}

impl<P> Bookmarks<P> {
    /// Makes those of a part of a source, whose parts share who waits for changes.
    pub(crate) fn notifying(changed: Arc<Notify>) -> Bookmarks<P> {
        let state = State { first: 0, batches: VecDeque::new(), has_failed: false };
        Bookmarks(Arc::new(Shared { state: Mutex::new(state), changed }))
    }

    fn lock(&self) -> MutexGuard<'_, State<P>> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the part of the token of the next batch, after which reading continues at a position.
    pub(crate) fn add(&self, behind: P) -> Box<dyn Completion>
    where
        P: Send + 'static,
    {
        let mut state = self.lock();
        let number = state.first + state.batches.len() as u64;
        state.batches.push_back(Entry { behind, is_done: false });
        Box::new(Bookmark { book: self.clone(), number })
    }

    /// Takes the position up to which all batches are acknowledged since; `None` when there is no new one.
    pub(crate) fn take(&self) -> Option<P> {
        let mut state = self.lock();
        let mut last = None;
        while state.batches.front().is_some_and(|entry| entry.is_done) {
            last = state.batches.pop_front().map(|entry| entry.behind);
            state.first += 1;
        }
        last
    }

    /// Returns true when a destination gave a batch up.
    pub(crate) fn has_failed(&self) -> bool {
        self.lock().has_failed
    }

    /// Returns true when nothing is in flight.
    pub(crate) fn is_settled(&self) -> bool {
        self.lock().batches.is_empty()
    }

    /// Waits until a batch is acknowledged, or given up.
    pub(crate) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}

impl<P: Send> Completion for Bookmark<P> {
    fn complete(&self, outcome: Outcome) {
        let mut state = self.book.lock();
        match outcome {
            Outcome::Done => {
                let place =
                    self.number.checked_sub(state.first).and_then(|place| usize::try_from(place).ok());
                if let Some(entry) = place.and_then(|place| state.batches.get_mut(place)) {
                    entry.is_done = true;
                }
            }
            Outcome::Failed => state.has_failed = true,
        }
        drop(state);
        self.book.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    //! Outcomes in any order.

    use super::*;

    #[test]
    fn a_position_waits_for_those_before_it() {
        let book = Bookmarks::default();
        let [one, two, three] = [1, 2, 3].map(|number| book.add(number));
        two.complete(Outcome::Done);
        assert_eq!((book.take(), book.is_settled()), (None, false));
        one.complete(Outcome::Done);
        assert_eq!(book.take(), Some(2));
        let four = book.add(4);
        three.complete(Outcome::Done);
        four.complete(Outcome::Done);
        assert_eq!((book.take(), book.is_settled(), book.has_failed()), (Some(4), true, false));
    }

    #[test]
    fn a_batch_that_was_given_up_holds_the_position() {
        let book = Bookmarks::default();
        let [one, two] = [1, 2].map(|number| book.add(number));
        one.complete(Outcome::Failed);
        two.complete(Outcome::Done);
        assert_eq!((book.take(), book.has_failed()), (None, true));
    }
}
