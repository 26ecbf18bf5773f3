//! The entrance of a queue on disk, which accepts deliveries and notifies its thread.
//!
//! In: deliveries from any thread, commands, progress of the destination. Out: deliveries to the destination's
//! thread while the queue is in memory; otherwise all of them to the keeper.
//! Holds: deliveries that are not on disk yet, with their tokens. Limits: in memory `front-cache-size()` and
//! `flow-control-window-bytes()`; the rest goes to disk. Messages that wait for the disk are bounded by the windows
//! of the sources: their tokens are released when they are on disk.

use super::flights::Flights;
use crate::{options::DiskBuffer, worker::DestinationQueue};
use message::{Ack, AckSink, Delivery, Outcome, Outlet, Repeats, WriteBudget};
use receivers::staging::RereadGuard;
use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Instant,
};
use transport::stats::{self, Counters, DropReason};

/// The entrance.
pub(crate) struct Entrance {
    shared: Arc<Shared>,
    queue: Arc<DestinationQueue>,
    /// Messages that the queue took before the start and that may come again.
    repeats: Repeats,
}

/// The part of the entrance that the tokens of deliveries know.
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

struct State {
    way: Way,
    inbox: VecDeque<Arrival>,
    flights: Flights,
    limits: MemoryLimits,
    /// True when something relevant to the keeper was written since its last check.
    progressed: bool,
    /// The keeper wakes in time for what is in memory only.
    is_timed: bool,
    settings: Option<DiskBuffer>,
    stop: Option<Instant>,
    /// True when the keeper has ended: further deliveries are dropped.
    is_closed: bool,
}

/// The way of new deliveries to the destination's thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Directly; they are in memory only.
    Memory,
    /// Through the journal.
    Disk,
}

/// Most that may be on its way to the destination.
struct MemoryLimits {
    messages: usize,
    bytes: usize,
}

/// A delivery that came in.
pub(super) struct Arrival {
    pub(super) delivery: Delivery,
    pub(super) count: usize,
    pub(super) bytes: usize,
}

/// Orders for the keeper.
#[derive(Default)]
pub(super) struct KeeperOrders {
    pub(super) settings: Option<DiskBuffer>,
    pub(super) stop: Option<Instant>,
}

impl MemoryLimits {
    fn of(settings: &DiskBuffer) -> MemoryLimits {
        // What is in memory must fit on the disk.
        let capacity = usize::try_from(settings.capacity_bytes / 2).unwrap_or(usize::MAX);
        MemoryLimits { messages: settings.memory_messages, bytes: settings.memory_bytes.min(capacity) }
    }
}

impl State {
    fn has_room(&self) -> bool {
        let (messages, bytes) = self.flights.load();
        messages < self.limits.messages && bytes < self.limits.bytes
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entrance {
    pub(super) fn new(
        queue: Arc<DestinationQueue>,
        settings: &DiskBuffer,
        (written, way): (u64, Way),
        repeats: Repeats,
    ) -> Entrance {
        let state = State {
            way,
            inbox: VecDeque::new(),
            flights: Flights::new(written),
            limits: MemoryLimits::of(settings),
            progressed: false,
            is_timed: false,
            settings: None,
            stop: None,
            is_closed: false,
        };
        Entrance {
            shared: Arc::new(Shared { state: Mutex::new(state), wake: Condvar::new() }),
            queue,
            repeats,
        }
    }

    fn counters(&self) -> &Counters {
        &self.queue.counters
    }

    /// Applies new settings of the same queue.
    pub(crate) fn configure(&self, settings: DiskBuffer) {
        let mut state = self.shared.lock();
        state.limits = MemoryLimits::of(&settings);
        state.settings = Some(settings);
        drop(state);
        self.shared.wake.notify_one();
    }

    /// Orders the keeper to save everything and end.
    pub(crate) fn stop(&self, deadline: Instant) {
        self.shared.lock().stop = Some(deadline);
        self.shared.wake.notify_one();
    }

    /// Waits for work and takes new arrivals. Waits at most until `deadline`; without one, until something has been
    /// in memory only for the configured time.
    pub(super) fn wait(
        &self,
        arrivals: &mut VecDeque<Arrival>,
        settings: &DiskBuffer,
        deadline: Option<Instant>,
    ) -> KeeperOrders {
        let mut state = self.shared.lock();
        while state.inbox.is_empty() && !state.progressed && state.settings.is_none() && state.stop.is_none()
        {
            let due = state.flights.unsaved_since().map(|since| since + settings.memory_for);
            // What does not fit on the disk now is not retried continuously.
            let save_at = due.max(due.and(deadline));
            state.is_timed = save_at.is_some();
            state = match deadline.into_iter().chain(save_at).min() {
                Some(at) => {
                    let left = at.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        break;
                    }
                    self.shared.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        // While the keeper works it need not be woken.
        state.is_timed = true;
        arrivals.append(&mut state.inbox);
        state.progressed = false;
        KeeperOrders { settings: state.settings.take(), stop: state.stop }
    }

    /// Runs `work` on the deliveries in flight. Its result is dropped outside the lock.
    pub(super) fn flights<T>(&self, work: impl FnOnce(&mut Flights) -> T) -> T {
        work(&mut self.shared.lock().flights)
    }

    /// Returns whether the destination may get more.
    pub(super) fn has_room(&self) -> bool {
        self.shared.lock().has_room()
    }

    /// Switches to memory: the destination has caught up and new deliveries go straight to it, unless one came
    /// meanwhile.
    pub(super) fn return_to_memory(&self) {
        let mut state = self.shared.lock();
        if state.inbox.is_empty() {
            state.way = Way::Memory;
        }
    }

    #[cfg(test)]
    pub(super) fn way(&self) -> Way {
        self.shared.lock().way
    }

    /// Passes a delivery that is on disk to the destination's thread.
    pub(super) fn forward(
        &self,
        mut delivery: Delivery,
        end: u64,
        (count, bytes): (usize, usize),
        reread: Option<Arc<RereadGuard>>,
    ) {
        let number = self.flights(|flights| flights.start(end, count, bytes));
        delivery.ack = self.token(number, reread);
        if let Err(refused) = self.queue.enqueue(delivery, count) {
            refused.ack.fail();
        }
    }

    fn token(&self, number: u64, reread: Option<Arc<RereadGuard>>) -> Ack {
        Ack::new(Box::new(Written { shared: self.shared.clone(), number, reread }))
    }

    /// Returns a function that wakes the keeper to look at how far everything is settled.
    pub(super) fn waker(&self) -> Box<dyn Fn() + Send + Sync> {
        let shared = self.shared.clone();
        Box::new(move || {
            shared.lock().progressed = true;
            shared.wake.notify_one();
        })
    }

    /// Drops everything from now on. Adds what came in meanwhile to the arrivals.
    pub(super) fn close(&self, arrivals: &mut VecDeque<Arrival>) {
        let mut state = self.shared.lock();
        state.is_closed = true;
        arrivals.append(&mut state.inbox);
    }

    /// Drops a delivery that is not on disk.
    pub(super) fn drop_arrival(&self, arrival: &Arrival, reason: DropReason) {
        self.count_drop(&arrival.delivery, arrival.count, reason);
        stats::subtract(&self.counters().memory_usage, arrival.bytes);
    }

    /// Counts a dropped delivery. The source of one that is dropped at the stop is notified.
    pub(super) fn count_drop(&self, delivery: &Delivery, count: usize, reason: DropReason) {
        stats::add(self.counters().dropped_for(reason), count);
        stats::subtract(&self.counters().queued, count);
        if reason == DropReason::Stopped {
            delivery.ack.fail();
        }
    }

    /// Passes a delivery to the destination's thread; its token stays here until it is written or on disk.
    fn forward_in_memory(&self, mut state: MutexGuard<'_, State>, mut delivery: Delivery, count: usize) {
        let (batch, selection) = (delivery.batch.clone(), delivery.selection.clone());
        delivery.first = None;
        let controlled = delivery.controlled;
        let number = state.flights.start_in_memory(delivery, count, Instant::now());
        let handed = Delivery { batch, selection, ack: self.token(number, None), controlled, first: None };
        // Under the lock, so that the next delivery cannot overtake it.
        let refused = self.queue.enqueue(handed, count);
        let must_wake = !std::mem::replace(&mut state.is_timed, true);
        drop(state);
        if must_wake {
            self.shared.wake.notify_one();
        }
        if let Err(refused) = refused {
            refused.ack.fail();
        }
    }
}

impl Outlet for Entrance {
    fn deliver(&self, mut delivery: Delivery, _budget: &WriteBudget) {
        if let Some(numbering) = &delivery.batch.numbering {
            // Those are in the queue already, or were delivered.
            self.repeats.sift(numbering, &mut delivery.selection);
        }
        let count = delivery.selection.count();
        if count == 0 {
            return;
        }
        stats::add(&self.counters().processed, count);
        let mut state = self.shared.lock();
        if state.is_closed {
            drop(state);
            stats::add(self.counters().dropped_for(DropReason::Stopped), count);
            return delivery.ack.fail();
        }
        // Count it before another thread can take it out.
        stats::add(&self.counters().queued, count);
        if state.way == Way::Memory && state.has_room() {
            return self.forward_in_memory(state, delivery, count);
        }
        // All that follow go there too, until the destination has caught up, to keep the order.
        state.way = Way::Disk;
        let bytes = delivery.batch.held_bytes();
        stats::add(&self.counters().memory_usage, bytes);
        state.inbox.push_back(Arrival { delivery, count, bytes });
        drop(state);
        self.shared.wake.notify_one();
    }
}

/// The token of a delivery to the destination's thread.
struct Written {
    shared: Arc<Shared>,
    /// Its number among the flights.
    number: u64,
    /// Keeps it on the disk, when it is read again.
    reread: Option<Arc<RereadGuard>>,
}

impl AckSink for Written {
    fn acknowledge(&self, outcome: Outcome) {
        // Failed deliveries stay on disk, or in memory to be saved.
        if outcome != Outcome::Done {
            return self.reread.iter().for_each(|reread| reread.fail());
        }
        let mut state = self.shared.lock();
        let before = state.flights.written();
        let kept = state.flights.finish(self.number);
        let must_wake = state.way == Way::Disk || state.flights.written() != before;
        state.progressed |= must_wake;
        drop(state);
        if must_wake {
            self.shared.wake.notify_one();
        }
        // The source is notified outside the lock.
        drop(kept);
    }
}
