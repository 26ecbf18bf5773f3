//! The queue before the thread of a family.
//!
//! In: deliveries. Out: all that wait, in their order. Holds: them.
//! Limits: [`BYTES_MAX`] of deliveries without flow control; further ones are refused. The source's window bounds those
//! with it.

use message::Delivery;
use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// Most bytes that wait on paths without flow control.
const BYTES_MAX: usize = 64 << 20;

/// Deliveries that wait to be sorted.
#[derive(Default)]
pub(super) struct Inbox {
    state: Mutex<State>,
    filled: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Delivery>,
    bytes: usize,
    is_closed: bool,
}

/// The reasons why a delivery is not taken; it comes back.
pub(super) enum Refused {
    /// Too much waits.
    Full,
    /// The family ends.
    Closed(Delivery),
}

/// Result of [`Inbox::take`].
pub(super) enum Waiting {
    /// Everything that waited.
    Deliveries(VecDeque<Delivery>),
    /// Nothing came in time.
    Nothing,
    /// The inbox is closed and empty.
    Closed,
}

impl Inbox {
    /// Puts a delivery at the end. Never waits.
    pub(super) fn put(&self, delivery: Delivery) -> Result<(), Refused> {
        let mut state = self.locked();
        if state.is_closed {
            return Err(Refused::Closed(delivery));
        }
        let bytes = delivery.batch.held_bytes();
        if !delivery.controlled && !state.waiting.is_empty() && state.bytes + bytes > BYTES_MAX {
            return Err(Refused::Full);
        }
        state.bytes += bytes;
        state.waiting.push_back(delivery);
        self.filled.notify_one();
        Ok(())
    }

    /// Takes everything that waits; waits for the first until the deadline.
    pub(super) fn take(&self, deadline: Instant) -> Waiting {
        let mut state = self.locked();
        while state.waiting.is_empty() && !state.is_closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Waiting::Nothing;
            }
            state = self.filled.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.waiting.is_empty() {
            return Waiting::Closed;
        }
        state.bytes = 0;
        Waiting::Deliveries(std::mem::take(&mut state.waiting))
    }

    /// Sleeps until the deadline, but not beyond the closing. Returns true when the inbox is open.
    pub(super) fn pause(&self, deadline: Instant) -> bool {
        let mut state = self.locked();
        while !state.is_closed {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            state = self.filled.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    /// Takes no more deliveries; those that wait can still be taken.
    pub(super) fn close(&self) {
        self.locked().is_closed = true;
        self.filled.notify_all();
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
