//! Positions below which everything is acknowledged.
//!
//! In: a position for each batch, outcomes of batches in any order. Out: the position behind the last batch of those that are
//! all acknowledged. Holds: the positions of batches in flight. Limits: the window of the source bounds them.

use super::position::Position;
use intake::Completion;
use message::Outcome;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// The batches of a source that are in flight. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Bookmarks(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    /// The number of the first entry.
    first: u64,
    batches: VecDeque<Entry>,
    has_failed: bool,
}

struct Entry {
    behind: Position,
    is_done: bool,
}

/// The part of a batch's token.
struct Bookmark {
    book: Bookmarks,
    number: u64,
}

impl Bookmarks {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the part of the token of the next batch, after which reading continues at a position.
    pub(super) fn add(&self, behind: Position) -> Box<dyn Completion> {
        let mut state = self.lock();
        let number = state.first + state.batches.len() as u64;
        state.batches.push_back(Entry { behind, is_done: false });
        Box::new(Bookmark { book: self.clone(), number })
    }

    /// Takes the position up to which all batches are acknowledged since; `None` when there is no new one.
    pub(super) fn take(&self) -> Option<Position> {
        let mut state = self.lock();
        let mut last = None;
        while state.batches.front().is_some_and(|entry| entry.is_done) {
            last = state.batches.pop_front().map(|entry| entry.behind);
            state.first += 1;
        }
        last
    }

    /// Returns true when a destination gave a batch up.
    pub(super) fn has_failed(&self) -> bool {
        self.lock().has_failed
    }

    /// Returns true when nothing is in flight.
    pub(super) fn is_settled(&self) -> bool {
        self.lock().batches.is_empty()
    }

    /// Waits until a batch is acknowledged, or given up.
    pub(super) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}

impl Completion for Bookmark {
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
    use transport::sql::Value;

    fn at(number: i128) -> Position {
        Position::Behind { uid: Value::Integer(number) }
    }

    #[test]
    fn a_position_waits_for_those_before_it() {
        let book = Bookmarks::default();
        let [one, two, three] = [1, 2, 3].map(|number| book.add(at(number)));
        two.complete(Outcome::Done);
        assert_eq!((book.take(), book.is_settled()), (None, false));
        one.complete(Outcome::Done);
        assert_eq!(book.take(), Some(at(2)));
        let four = book.add(at(4));
        three.complete(Outcome::Done);
        four.complete(Outcome::Done);
        assert_eq!((book.take(), book.is_settled(), book.has_failed()), (Some(at(4)), true, false));
    }

    #[test]
    fn a_batch_that_was_given_up_holds_the_position() {
        let book = Bookmarks::default();
        let [one, two] = [1, 2].map(|number| book.add(at(number)));
        one.complete(Outcome::Failed);
        two.complete(Outcome::Done);
        assert_eq!((book.take(), book.has_failed()), (None, true));
    }
}
