//! Where deliveries enter a queue on disk, and where its thread hears of them.
//!
//! In: deliveries from any thread, commands, what the destination has written. Out: all of it, to the keeper.
//! Holds: deliveries that are not on the disk yet, with their tokens. Limits: the windows of the sources: their tokens
//! come back when the messages are on the disk.

use super::flights::Flights;
use crate::options::DiskBuffer;
use message::{AckSink, Delivery, Outcome, Outlet, WriteBudget};
use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use transport::stats::{self, Counters, DropReason};

/// The entrance.
pub(crate) struct Entrance {
    state: Mutex<State>,
    wake: Condvar,
    pub(super) counters: Arc<Counters>,
}

struct State {
    inbox: VecDeque<Arrival>,
    flights: Flights,
    /// Something was written since the keeper looked.
    progressed: bool,
    settings: Option<DiskBuffer>,
    stop: Option<Instant>,
    /// The keeper has ended: what comes now is dropped.
    is_closed: bool,
}

/// A delivery that came in.
pub(super) struct Arrival {
    pub(super) delivery: Delivery,
    pub(super) count: usize,
}

/// Orders for the keeper.
#[derive(Default)]
pub(super) struct KeeperOrders {
    pub(super) settings: Option<DiskBuffer>,
    pub(super) stop: Option<Instant>,
}

impl Entrance {
    pub(super) fn new(counters: Arc<Counters>, written: u64) -> Entrance {
        let state = State {
            inbox: VecDeque::new(),
            flights: Flights::new(written),
            progressed: false,
            settings: None,
            stop: None,
            is_closed: false,
        };
        Entrance { state: Mutex::new(state), wake: Condvar::new(), counters }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// New settings of the same queue.
    pub(crate) fn configure(&self, settings: DiskBuffer) {
        self.lock().settings = Some(settings);
        self.wake.notify_one();
    }

    /// Save everything and end.
    pub(crate) fn stop(&self, deadline: Instant) {
        self.lock().stop = Some(deadline);
        self.wake.notify_one();
    }

    /// Waits for something to do, at most until `deadline`, and takes what came in.
    pub(super) fn wait(&self, arrivals: &mut VecDeque<Arrival>, deadline: Option<Instant>) -> KeeperOrders {
        let mut state = self.lock();
        while state.inbox.is_empty() && !state.progressed && state.settings.is_none() && state.stop.is_none()
        {
            match deadline.map(|at| at.saturating_duration_since(Instant::now())) {
                Some(left) if left.is_zero() => break,
                Some(left) => {
                    state = self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                }
                None => state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
        arrivals.append(&mut state.inbox);
        state.progressed = false;
        KeeperOrders { settings: state.settings.take(), stop: state.stop }
    }

    /// Works with the record of what is on its way.
    pub(super) fn flights<T>(&self, work: impl FnOnce(&mut Flights) -> T) -> T {
        work(&mut self.lock().flights)
    }

    /// From now on everything is dropped. What came in meanwhile is given up.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        let rest = std::mem::take(&mut state.inbox);
        drop(state);
        rest.iter().for_each(|arrival| self.drop_arrival(arrival, DropReason::Stopped));
    }

    /// Drops a delivery that is not on the disk.
    pub(super) fn drop_arrival(&self, arrival: &Arrival, reason: DropReason) {
        stats::add(self.counters.dropped_for(reason), arrival.count);
        stats::subtract(&self.counters.queued, arrival.count);
        if reason == DropReason::Stopped {
            arrival.delivery.ack.fail();
        }
    }
}

impl Outlet for Entrance {
    fn deliver(&self, delivery: Delivery, _budget: &WriteBudget) {
        let count = delivery.selection.count();
        if count == 0 {
            return;
        }
        stats::add(&self.counters.processed, count);
        let mut state = self.lock();
        if state.is_closed {
            drop(state);
            stats::add(self.counters.dropped_for(DropReason::Stopped), count);
            return delivery.ack.fail();
        }
        // Before anybody can take it out again.
        stats::add(&self.counters.queued, count);
        state.inbox.push_back(Arrival { delivery, count });
        drop(state);
        self.wake.notify_one();
    }
}

/// The token of a delivery to the destination's thread.
pub(super) struct Written {
    pub(super) entrance: Arc<Entrance>,
    /// Its number among the flights.
    pub(super) number: u64,
}

impl AckSink for Written {
    fn acknowledge(&self, outcome: Outcome) {
        // What was given up stays on the disk.
        if outcome == Outcome::Done {
            let mut state = self.entrance.lock();
            state.flights.finish(self.number);
            state.progressed = true;
            drop(state);
            self.entrance.wake.notify_one();
        }
    }
}
