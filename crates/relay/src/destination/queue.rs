//! The queue before a destination: what waits for its thread.
//!
//! In: deliveries from any thread, commands of the configuration. Out: both, to the destination's one thread.
//! Holds: deliveries; for paths without flow control their ack token is given back at once.
//! Limits: `log-fifo-size()` messages and `bytes_max` bytes for paths without flow control; what does not fit
//! is dropped and counted. Controlled deliveries always fit: the sources' windows bound them.

use super::options::{DestinationSpec, Queueing};
use crate::stats::{self, Counters, DropReason};
use message::{Ack, Delivery, Outlet, Selection};
use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

/// Below this share of a batch's messages a waiting delivery is copied out, so that it does not pin the batch.
const SPARSE: usize = 4;

/// What the configuration tells a destination's thread.
pub(super) enum Command {
    /// New settings; the queue stays.
    Configure(Box<DestinationSpec>),
    /// Close and open again what is written to.
    Reopen,
    /// Write what waits until then, and end.
    Stop(Instant),
}

/// A queued delivery.
pub(super) struct Item {
    pub(super) delivery: Delivery,
    pub(super) count: usize,
    bytes: usize,
}

/// The two ends of the queue share this.
pub(super) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
    /// What is in it is also on the disk: what cannot be written stays there and is not lost.
    is_backed: bool,
    pub(super) counters: Arc<Counters>,
}

struct State {
    items: VecDeque<Item>,
    commands: VecDeque<Command>,
    messages: usize,
    bytes: usize,
    messages_max: usize,
    bytes_max: usize,
    /// The target holds its sources back instead of dropping (`file()`).
    soft: bool,
    /// The thread sleeps and wants to be woken.
    idle: bool,
    /// The thread has ended: what comes now is dropped.
    closed: bool,
}

/// What woke the thread.
pub(super) enum Wake {
    Command(Command),
    Items,
    Timeout,
}

impl Queue {
    pub(super) fn new(queueing: &Queueing, soft: bool, counters: Arc<Counters>) -> Queue {
        let state = State {
            items: VecDeque::new(),
            commands: VecDeque::new(),
            messages: 0,
            bytes: 0,
            messages_max: queueing.messages_max,
            bytes_max: queueing.bytes_max,
            soft,
            idle: false,
            closed: false,
        };
        Queue { state: Mutex::new(state), wake: Condvar::new(), is_backed: queueing.disk.is_some(), counters }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the limits; what waits already stays.
    pub(super) fn resize(&self, queueing: &Queueing, soft: bool) {
        let mut state = self.lock();
        state.messages_max = queueing.messages_max;
        state.bytes_max = queueing.bytes_max;
        state.soft = soft;
    }

    pub(super) fn command(&self, command: Command) {
        self.lock().commands.push_back(command);
        self.wake.notify_one();
    }

    /// Takes all waiting items into the empty `items`, or the oldest command, or waits until `deadline`.
    pub(super) fn wait(&self, items: &mut VecDeque<Item>, deadline: Option<Instant>) -> Wake {
        debug_assert!(items.is_empty());
        let mut state = self.lock();
        loop {
            if let Some(command) = state.commands.pop_front() {
                return Wake::Command(command);
            }
            if !state.items.is_empty() {
                std::mem::swap(items, &mut state.items);
                return Wake::Items;
            }
            state.idle = true;
            match deadline.map(|at| at.saturating_duration_since(Instant::now())) {
                Some(left) if left.is_zero() => {
                    state.idle = false;
                    return Wake::Timeout;
                }
                Some(left) => {
                    state = self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                }
                None => state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
            state.idle = false;
        }
    }

    /// Waits for a command until `deadline`, whatever else arrives.
    pub(super) fn pause(&self, deadline: Instant) -> Option<Command> {
        let mut state = self.lock();
        loop {
            if let Some(command) = state.commands.pop_front() {
                return Some(command);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            state = self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The thread ends: what waits, and what still comes, is dropped, counted, and given back as failed.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let items = std::mem::take(&mut state.items);
        drop(state);
        for item in items {
            self.done(item.count, item.bytes, item.count);
            item.delivery.ack.fail();
        }
    }

    /// Says that items were written, `lost` of their messages not: they no longer count as queued, unless they are
    /// on the disk.
    pub(super) fn done(&self, count: usize, bytes: usize, lost: usize) {
        let mut state = self.lock();
        state.messages = state.messages.saturating_sub(count);
        state.bytes = state.bytes.saturating_sub(bytes);
        drop(state);
        if !self.is_backed {
            stats::add(self.counters.dropped_for(DropReason::Stopped), lost);
        }
        stats::take(&self.counters.queued, if self.is_backed { count - lost.min(count) } else { count });
        stats::take(&self.counters.memory_usage, bytes);
    }

    /// Takes a delivery that is on the disk, and was counted when it came there.
    pub(super) fn hand(&self, delivery: Delivery, count: usize) {
        let bytes = delivery.batch.received_bytes.len();
        let mut state = self.lock();
        if state.closed {
            drop(state);
            return delivery.ack.fail();
        }
        state.messages += count;
        state.bytes += bytes;
        stats::add(&self.counters.memory_usage, bytes);
        state.items.push_back(Item { delivery, count, bytes });
        let sleeping = state.idle;
        drop(state);
        if sleeping {
            self.wake.notify_one();
        }
    }
}

impl Item {
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Outlet for Queue {
    fn deliver(&self, mut delivery: Delivery) {
        let wanted = delivery.selection.count();
        if wanted == 0 {
            return;
        }
        stats::add(&self.counters.processed, wanted);
        let mut state = self.lock();
        if state.closed {
            drop(state);
            stats::add(self.counters.dropped_for(DropReason::Stopped), wanted);
            return delivery.ack.fail();
        }
        let bounded = !(delivery.controlled || state.soft);
        let mut count = wanted;
        if bounded {
            // The queue must not hold the source back: its own limit is the bound.
            delivery.ack = Ack::none();
            let room = state.messages_max.saturating_sub(state.messages);
            count = if state.bytes >= state.bytes_max { 0 } else { wanted.min(room) };
            if count < wanted {
                stats::add(&self.counters.dropped_queue_full, wanted - count);
                delivery.selection = delivery.selection.first(count);
            }
            if count == 0 {
                return;
            }
        }
        let sparse = count * SPARSE < delivery.batch.len() && delivery.batch.rcptid == 0;
        if bounded && sparse && !state.items.is_empty() {
            let (batch, selection) = copied_out(&delivery);
            delivery.batch = Arc::new(batch);
            delivery.selection = selection;
        }
        let bytes = delivery.batch.received_bytes.len();
        state.messages += count;
        state.bytes += bytes;
        // Before anybody can take it out again.
        stats::add(&self.counters.queued, count);
        stats::add(&self.counters.memory_usage, bytes);
        state.items.push_back(Item { delivery, count, bytes });
        let sleeping = state.idle;
        drop(state);
        if sleeping {
            self.wake.notify_one();
        }
    }
}

fn copied_out(delivery: &Delivery) -> (message::Batch, Selection) {
    let batch = delivery.batch.copy_of(&delivery.selection);
    let selection = Selection::all(batch.len());
    (batch, selection)
}

#[cfg(test)]
mod tests;
