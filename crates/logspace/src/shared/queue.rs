//! A queue between two threads that is bounded by what its items cost.
//!
//! In: items and their costs. Out: all waiting items at once. Holds: the items.
//! Limits: the bound; [`Queue::force`] may exceed it, for items that are bounded elsewhere.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Counts the turns of all threads that wait in queues, for tests that wait for them.
#[cfg(test)]
pub(crate) static TURNS: sim::Turns = sim::Turns::new();

/// A bounded queue with one consumer.
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    filled: Condvar,
    emptied: Condvar,
    cost_max: u64,
    #[cfg(test)]
    observed: tests::Observed,
}

struct State<T> {
    items: VecDeque<(T, u64)>,
    cost: u64,
    open: bool,
    nudged: bool,
    /// Cost of waiting items at which the consumer is woken; `None` while it does not wait.
    wake_at: Option<u64>,
}

/// Result of [`Queue::take`].
pub(crate) enum PopResult<T> {
    /// Everything that waited, up to the requested cost.
    Items(Vec<T>),
    /// Nothing came in time, or the queue was nudged.
    Nothing,
    /// The queue is closed and empty.
    Closed,
}

impl<T> Queue<T> {
    /// Creates an open, empty queue.
    pub(crate) fn new(cost_max: u64) -> Queue<T> {
        let state = State { items: VecDeque::new(), cost: 0, open: true, nudged: false, wake_at: None };
        Queue {
            state: Mutex::new(state),
            filled: Condvar::new(),
            emptied: Condvar::new(),
            cost_max,
            #[cfg(test)]
            observed: tests::Observed::default(),
        }
    }

    /// Puts an item if there is space; returns it when there is none or the queue is closed.
    pub(crate) fn offer(&self, item: T, cost: u64) -> Result<(), T> {
        let mut state = self.locked();
        if !state.open || !self.has_room(&state, cost) {
            return Err(item);
        }
        self.push(&mut state, item, cost);
        Ok(())
    }

    /// Puts an item even if there is no space; returns it when the queue is closed.
    pub(crate) fn force(&self, item: T, cost: u64) -> Result<(), T> {
        let mut state = self.locked();
        if !state.open {
            return Err(item);
        }
        self.push(&mut state, item, cost);
        Ok(())
    }

    /// Waits for space and puts an item; returns it when the queue is closed.
    pub(crate) fn put(&self, item: T, cost: u64) -> Result<(), T> {
        let mut state = self.locked();
        while state.open && !self.has_room(&state, cost) {
            #[cfg(test)]
            self.observed.held_back();
            state = self.emptied.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if !state.open {
            return Err(item);
        }
        self.push(&mut state, item, cost);
        Ok(())
    }

    /// Takes waiting items up to a cost, but at least one; waits for the first until the deadline.
    pub(crate) fn take(&self, cost_max: u64, deadline: Instant) -> PopResult<T> {
        #[cfg(test)]
        self.observed.waits();
        let mut state = self.locked();
        while state.items.is_empty() && state.open && !state.nudged {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return PopResult::Nothing;
            }
            state = self.wait(state, 0, left);
        }
        state.nudged = false;
        debug_assert!(!state.items.is_empty() || state.cost == 0, "an empty queue costs nothing");
        if state.items.is_empty() {
            return if state.open { PopResult::Nothing } else { PopResult::Closed };
        }
        let mut items = Vec::with_capacity(state.items.len());
        let mut taken = 0;
        while let Some((item, cost)) = state.items.pop_front() {
            if !items.is_empty() && taken + cost > cost_max {
                state.items.push_front((item, cost));
                break;
            }
            items.push(item);
            taken += cost;
            state.cost -= cost;
        }
        drop(state);
        self.emptied.notify_all();
        PopResult::Items(items)
    }

    /// Sleeps until items of `cost` wait, the time is over, the queue was nudged, or it is closed.
    pub(crate) fn linger(&self, cost: u64, until: Instant) {
        #[cfg(test)]
        self.observed.waits();
        let mut state = self.locked();
        while state.open && !state.nudged && state.cost < cost {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.wait(state, cost, left);
        }
    }

    /// Lets the consumer wait until items of `cost` wait, the time is over, or somebody wakes it.
    fn wait<'a>(
        &self,
        mut state: MutexGuard<'a, State<T>>,
        cost: u64,
        left: Duration,
    ) -> MutexGuard<'a, State<T>> {
        state.wake_at = Some(cost);
        let mut state = self.filled.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        state.wake_at = None;
        state
    }

    /// Wakes the consumer although nothing came.
    pub(crate) fn nudge(&self) {
        self.locked().nudged = true;
        self.filled.notify_all();
    }

    /// Closes the queue to new items; waiting ones can still be taken.
    pub(crate) fn close(&self) {
        self.locked().open = false;
        self.filled.notify_all();
        self.emptied.notify_all();
    }

    /// Returns true when the queue accepts no more items.
    pub(crate) fn is_closed(&self) -> bool {
        !self.locked().open
    }

    /// Sleeps, but not beyond the closing of the queue.
    pub(crate) fn pause(&self, duration: Duration) {
        #[cfg(test)]
        self.observed.waits();
        let until = Instant::now() + duration;
        let mut state = self.locked();
        while state.open {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.wait(state, u64::MAX, left);
        }
    }

    /// Returns the cost of the waiting items.
    pub(crate) fn load(&self) -> u64 {
        self.locked().cost
    }

    /// Returns true when an item fits; one that exceeds the whole bound fits when nothing else waits.
    fn has_room(&self, state: &State<T>, cost: u64) -> bool {
        state.items.is_empty() || state.cost + cost <= self.cost_max
    }

    fn push(&self, state: &mut State<T>, item: T, cost: u64) {
        state.items.push_back((item, cost));
        state.cost += cost;
        if state.wake_at.is_some_and(|at| at <= state.cost) {
            state.wake_at = None;
            self.filled.notify_one();
        }
    }

    fn locked(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
pub(crate) mod tests;
