//! What was read from a broker and is not acknowledged to it yet.
//!
//! In: deliveries by their keys, which the broker gives; outcomes of batches in any order. Out: the keys to acknowledge, in the
//! order in which they came. Holds: an entry for each delivery until it is forgotten, over the end of a connection.
//! Limits: the window of the source bounds those that wait; of those that were acknowledged [`ANSWERED_MAX`] are kept.
//!
//! A broker sends again what was not acknowledged when a connection ended. What still waits is not read a second time, and what
//! was acknowledged too late is acknowledged again. A delivery is known by its key and a fingerprint, for a broker that lost its
//! memory may give a key again: then a message may come twice, but none is taken for another one.

use intake::Completion;
use message::Outcome;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::sync::Notify;

/// Most acknowledged deliveries that are remembered.
const ANSWERED_MAX: usize = 65_536;

/// Deliveries of one source. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Deliveries(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    entries: HashMap<u64, Entry>,
    /// Keys that came over this connection and are not acknowledged over it.
    order: VecDeque<u64>,
    /// Those that nobody waits for any more, oldest first.
    answered: VecDeque<(u64, u64)>,
    /// Number of the last delivery.
    serial: u64,
    /// Number of this connection.
    connection: u64,
    /// Deliveries whose destinations have not acknowledged.
    waiting: usize,
    has_failed: bool,
}

struct Entry {
    serial: u64,
    fingerprint: u64,
    connection: u64,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Its destinations have it not.
    Waiting,
    /// They have it.
    Done,
    /// The broker was told.
    Answered,
}

/// A delivery that was read: its key and its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket {
    key: u64,
    serial: u64,
}

/// A delivery on its arrival.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arrival {
    /// It has to be read.
    New(Ticket),
    /// It was read before.
    Known,
    /// Another one with this key, over this connection, is not acknowledged yet.
    Clash,
}

/// The number of a try, as the broker says it: it may have sent a delivery before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Attempt {
    First,
    Repeated,
}

/// The part of a batch's token that acknowledges its deliveries.
struct DeliveryUpdate {
    deliveries: Deliveries,
    tickets: Vec<Ticket>,
}

impl Deliveries {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a connection: nothing is acknowledged over it that did not come over it.
    pub(crate) fn resume(&self) {
        let mut state = self.lock();
        state.connection += 1;
        state.order.clear();
        state.has_failed = false;
        let done = state.entries.iter().filter(|(_, entry)| entry.stage == Stage::Done);
        let done: Vec<(u64, u64)> = done.map(|(key, entry)| (*key, entry.serial)).collect();
        state.answered.extend(done);
        state.evict();
    }

    /// Begins a connection of a broker that takes acknowledgements over another connection than that of the delivery.
    pub(crate) fn continue_over(&self) {
        self.lock().has_failed = false;
    }

    /// Returns whether a delivery is still to be acknowledged.
    pub(crate) fn is_open(&self, key: u64) -> bool {
        self.lock().entries.get(&key).is_some_and(|entry| entry.stage != Stage::Answered)
    }

    /// The broker of this connection knows of nothing: it will not send again what was not acknowledged.
    pub(crate) fn restart(&self) {
        let mut state = self.lock();
        *state = State { serial: state.serial, connection: state.connection + 1, ..State::default() };
    }

    /// Notes a delivery.
    pub(crate) fn arrive(&self, key: u64, fingerprint: u64, attempt: Attempt) -> Arrival {
        let mut state = self.lock();
        let (connection, serial) = (state.connection, state.serial + 1);
        let mut is_listed = false;
        if let Some(entry) = state.entries.get_mut(&key) {
            let is_here = entry.connection == connection && entry.stage != Stage::Answered;
            if attempt == Attempt::Repeated && entry.fingerprint == fingerprint {
                entry.connection = connection;
                if entry.stage == Stage::Answered {
                    entry.stage = Stage::Done;
                }
                if !is_here {
                    state.order.push_back(key);
                }
                return Arrival::Known;
            }
            if is_here && attempt == Attempt::First {
                return Arrival::Clash;
            }
            is_listed = is_here;
            let was_waiting = entry.stage == Stage::Waiting;
            state.waiting -= usize::from(was_waiting);
        }
        state.serial = serial;
        state.waiting += 1;
        state.entries.insert(key, Entry { serial, fingerprint, connection, stage: Stage::Waiting });
        if !is_listed {
            state.order.push_back(key);
        }
        Arrival::New(Ticket { key, serial })
    }

    /// Returns the part of the token of a batch that has these deliveries.
    pub(crate) fn update(&self, tickets: Vec<Ticket>) -> Box<dyn Completion> {
        Box::new(DeliveryUpdate { deliveries: self.clone(), tickets })
    }

    /// Takes the keys that are to be acknowledged now. Returns false when a destination gave messages up.
    pub(crate) fn take_due(&self, due: &mut Vec<u64>) -> bool {
        let mut state = self.lock();
        while let Some(key) = state.order.front().copied() {
            if let Some(entry) = state.entries.get_mut(&key) {
                if entry.stage == Stage::Waiting {
                    break;
                }
                entry.stage = Stage::Answered;
                let serial = entry.serial;
                state.answered.push_back((key, serial));
                due.push(key);
            }
            state.order.pop_front();
        }
        state.evict();
        !state.has_failed
    }

    /// Forgets a delivery that the broker will not send again.
    pub(crate) fn forget(&self, key: u64) {
        let mut state = self.lock();
        if state.entries.get(&key).is_some_and(|entry| entry.stage == Stage::Answered) {
            state.entries.remove(&key);
        }
    }

    /// Returns whether no destination has anything to acknowledge.
    pub(crate) fn is_settled(&self) -> bool {
        self.lock().waiting == 0
    }

    /// Waits until a batch is acknowledged.
    pub(crate) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}

impl State {
    /// Forgets the oldest of those that nobody waits for. A list that names each twice at most stays short.
    fn evict(&mut self) {
        while self.answered.len() > ANSWERED_MAX {
            let Some((key, serial)) = self.answered.pop_front() else { return };
            let is_it = |entry: &&Entry| entry.serial == serial && entry.stage != Stage::Waiting;
            let Some(entry) = self.entries.get(&key).filter(is_it) else { continue };
            if entry.stage == Stage::Answered || entry.connection != self.connection {
                self.entries.remove(&key);
            }
        }
    }

    fn settle(&mut self, ticket: Ticket, outcome: Outcome) {
        let Ticket { key, serial } = ticket;
        let is_it = |entry: &&mut Entry| entry.serial == serial && entry.stage == Stage::Waiting;
        let Some(entry) = self.entries.get_mut(&key).filter(is_it) else { return };
        self.waiting -= 1;
        match outcome {
            Outcome::Done => {
                entry.stage = Stage::Done;
                if entry.connection != self.connection {
                    self.answered.push_back((key, serial));
                }
            }
            // It is read again when the broker sends it again.
            Outcome::Failed => {
                self.entries.remove(&key);
                self.has_failed = true;
            }
        }
    }
}

impl Completion for DeliveryUpdate {
    fn complete(&self, outcome: Outcome) {
        let mut state = self.deliveries.lock();
        for ticket in &self.tickets {
            state.settle(*ticket, outcome);
        }
        drop(state);
        self.deliveries.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests;
