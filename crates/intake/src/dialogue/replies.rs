//! Responses that wait until messages are safe.
//!
//! In: responses in the order of what they answer; outcomes of batches in any order. Out: the responses that are due, in order.
//! Holds: those that wait. Limits: the window bounds the batches in flight, and with them the responses.

use crate::batch_reader::Completion;
use message::Outcome;
use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// Responses that wait, oldest first.
#[derive(Default)]
pub(super) struct Replies {
    state: Mutex<Waiting>,
    /// Notified when responses are due, or messages were given up.
    pub(super) changed: Notify,
}

#[derive(Default)]
struct Waiting {
    groups: VecDeque<Group>,
    /// Number of the oldest group.
    first: u64,
    /// A batch was given up: nothing is answered any more.
    failed: bool,
}

/// The responses of one batch, or of one command.
pub(super) struct Group {
    pub(super) bytes: Vec<u8>,
    /// Its messages are safe, or it has none.
    pub(super) done: bool,
}

/// Completes one group.
pub(super) struct ReplyOnOutcome {
    replies: Arc<Replies>,
    number: u64,
}

impl Replies {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds responses and returns their number.
    pub(super) fn push(&self, group: Group) -> u64 {
        let mut waiting = self.lock();
        waiting.groups.push_back(group);
        waiting.first + waiting.groups.len() as u64 - 1
    }

    /// Takes the responses that are due. Returns false when a batch failed.
    pub(super) fn take(&self, out: &mut Vec<u8>) -> bool {
        let mut waiting = self.lock();
        while waiting.groups.front().is_some_and(|group| group.done) {
            let group = waiting.groups.pop_front();
            out.extend(group.into_iter().flat_map(|group| group.bytes));
            waiting.first += 1;
        }
        !waiting.failed
    }

    /// Returns whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.lock().groups.is_empty()
    }
}

impl ReplyOnOutcome {
    pub(super) fn new(replies: &Arc<Replies>, number: u64) -> ReplyOnOutcome {
        ReplyOnOutcome { replies: replies.clone(), number }
    }
}

impl Completion for ReplyOnOutcome {
    fn complete(&self, outcome: Outcome) {
        let mut waiting = self.replies.lock();
        let index = self.number.checked_sub(waiting.first).and_then(|index| usize::try_from(index).ok());
        if outcome == Outcome::Failed {
            waiting.failed = true;
        } else if let Some(group) = index.and_then(|index| waiting.groups.get_mut(index)) {
            group.done = true;
        }
        drop(waiting);
        self.replies.changed.notify_one();
    }
}

/// The error that ends a session whose messages a destination gave up.
pub(super) fn gave_up() -> io::Error {
    io::Error::other("a destination gave up messages, the sender is to send them again")
}
