//! The state that the entrances of a shared log share with its thread.
//!
//! In: deliveries from any thread, commands, completions of the destinations. Out: what came for one batch, together,
//! to the log's thread. Holds: deliveries that are not on disk, with their tokens; what each destination has in
//! flight. Limits: what waits for the disk is bounded by the windows of the sources, whose tokens are kept until it
//! is there; in flight, for each destination, `front-cache-size()` and `flow-control-window-bytes()`.

use super::in_flight::InFlight;
use crate::{options::DiskBuffer, worker::DestinationQueue};
use message::{Ack, AckSink, Batch, Delivery, Outcome, codec::shared::CONSUMERS_MAX};
use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc::Sender},
    time::{Duration, Instant},
};
use transport::stats::{self, DropReason};

/// Progress is saved within this time after it was made. If the process dies, this much may be delivered again.
const SAVE_WITHIN: Duration = Duration::from_millis(100);

/// How many of the latest batches a delivery is joined with: other threads may have added theirs meanwhile.
const LATEST: usize = 16;

/// The state.
pub(super) struct Inbox {
    state: Mutex<State>,
    wake: Condvar,
}

struct State {
    arrivals: VecDeque<Arrival>,
    desks: Vec<Option<Desk>>,
    requests: Vec<JoinRequest>,
    /// New settings, by number of the consumer.
    settings: Vec<(usize, DiskBuffer)>,
    /// True when the thread has work that cannot wait.
    is_urgent: bool,
    /// When progress must be saved.
    save_at: Option<Instant>,
    /// True when the thread has ended.
    is_closed: bool,
}

/// The part of one destination.
struct Desk {
    queue: Arc<DestinationQueue>,
    in_flight: InFlight,
    memory_messages: usize,
    memory_bytes: usize,
    /// True when the log's thread waits for it to settle something.
    is_awaited: bool,
    /// True when the destination's thread has ended.
    has_ended: bool,
}

/// A destination asks for its place in the log.
pub(super) struct JoinRequest {
    /// The destination, for users.
    pub(super) id: String,
    /// Its name in the log.
    pub(super) name: String,
    pub(super) settings: Box<DiskBuffer>,
    pub(super) queue: Arc<DestinationQueue>,
    pub(super) reply: Sender<io::Result<LogPlace>>,
}

/// The place of a destination in a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LogPlace {
    pub(super) number: usize,
    /// Messages that wait for it.
    pub(super) waiting: u64,
}

/// The deliveries of one batch.
pub(super) struct Arrival {
    pub(super) batch: Arc<Batch>,
    pub(super) parts: Vec<ConsumerPart>,
}

/// A delivery for one consumer.
pub(super) struct ConsumerPart {
    pub(super) number: usize,
    pub(super) delivery: Delivery,
    pub(super) count: usize,
    pub(super) bytes: usize,
}

/// The tasks of the log's thread.
#[derive(Default)]
pub(super) struct Work {
    pub(super) arrivals: VecDeque<Arrival>,
    pub(super) requests: Vec<JoinRequest>,
    pub(super) settings: Vec<(usize, DiskBuffer)>,
    /// Consumers whose destination has ended. Nothing more arrives for them.
    pub(super) ended: Vec<usize>,
    /// True when it is time to save what is settled.
    pub(super) saves: bool,
}

impl Inbox {
    pub(super) fn new() -> Inbox {
        let state = State {
            arrivals: VecDeque::new(),
            desks: (0..CONSUMERS_MAX).map(|_| None).collect(),
            requests: Vec::new(),
            settings: Vec::new(),
            is_urgent: false,
            save_at: None,
            is_closed: false,
        };
        Inbox { state: Mutex::new(state), wake: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `change` on what a destination has in flight. Its result is dropped outside the lock.
    pub(super) fn in_flight<T: Default>(&self, number: usize, change: impl FnOnce(&mut InFlight) -> T) -> T {
        let mut state = self.lock();
        state.desks[number].as_mut().map(|desk| change(&mut desk.in_flight)).unwrap_or_default()
    }

    /// Returns whether a destination may get more. If not, the thread is woken when it settles something.
    pub(super) fn has_room(&self, number: usize) -> bool {
        let mut state = self.lock();
        let Some(desk) = &mut state.desks[number] else { return false };
        let (messages, bytes) = desk.in_flight.load();
        desk.is_awaited = messages >= desk.memory_messages || bytes >= desk.memory_bytes;
        !desk.is_awaited
    }

    /// Wakes the thread when a destination settles something.
    pub(super) fn await_progress(&self, number: usize) {
        if let Some(desk) = &mut self.lock().desks[number] {
            desk.is_awaited = true;
        }
    }

    /// Opens the place of a destination, which has settled everything in the log below `handed`.
    pub(super) fn open(
        &self,
        number: usize,
        queue: Arc<DestinationQueue>,
        settings: &DiskBuffer,
        handed: u64,
    ) {
        let in_flight = InFlight::new(handed);
        let mut desk = Desk {
            queue,
            in_flight,
            memory_messages: 0,
            memory_bytes: 0,
            is_awaited: false,
            has_ended: false,
        };
        desk.limit(settings);
        self.lock().desks[number] = Some(desk);
    }

    /// Closes the place of a destination.
    pub(super) fn close(&self, number: usize) {
        let desk = self.lock().desks[number].take();
        drop(desk);
    }

    /// Orders new settings of a destination.
    pub(super) fn configure(&self, number: usize, settings: DiskBuffer) {
        let mut state = self.lock();
        if let Some(desk) = &mut state.desks[number] {
            desk.limit(&settings);
        }
        state.settings.push((number, settings));
        self.urge(state);
    }

    /// Asks for a place in the log. Returns the request when the thread has ended.
    pub(super) fn request(&self, request: JoinRequest) -> Result<(), JoinRequest> {
        let mut state = self.lock();
        if state.is_closed {
            return Err(request);
        }
        state.requests.push(request);
        self.urge(state);
        Ok(())
    }

    /// Notes that the thread of a destination has ended.
    pub(super) fn note_end(&self, number: usize) {
        let mut state = self.lock();
        if let Some(desk) = &mut state.desks[number] {
            desk.has_ended = true;
        }
        self.urge(state);
    }

    fn urge(&self, mut state: MutexGuard<'_, State>) {
        state.is_urgent = true;
        drop(state);
        self.wake.notify_one();
    }

    /// Takes a delivery for a destination; drops it when that has ended.
    pub(super) fn deliver(&self, number: usize, queue: &DestinationQueue, delivery: Delivery) {
        let count = delivery.selection.count();
        if count == 0 {
            return;
        }
        stats::add(&queue.counters.processed, count);
        let bytes = delivery.batch.held_bytes();
        let mut state = self.lock();
        if state.desks[number].as_ref().is_none_or(|desk| desk.has_ended) {
            drop(state);
            stats::add(queue.counters.dropped_for(DropReason::Stopped), count);
            return delivery.ack.fail();
        }
        // Count it before another thread can take it out.
        stats::add(&queue.counters.queued, count);
        stats::add(&queue.counters.memory_usage, bytes);
        let was_empty = state.arrivals.is_empty();
        state.add(ConsumerPart { number, delivery, count, bytes });
        drop(state);
        if was_empty {
            self.wake.notify_one();
        }
    }

    /// Waits for work, at most until `deadline`, and takes it.
    pub(super) fn wait(&self, deadline: Option<Instant>) -> Work {
        let mut state = self.lock();
        while state.arrivals.is_empty() && !state.is_urgent {
            state = match deadline.into_iter().chain(state.save_at).min() {
                Some(at) => {
                    let left = at.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        break;
                    }
                    self.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.wake.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        let is_due = state.save_at.is_some_and(|at| at <= Instant::now());
        let saves = std::mem::take(&mut state.is_urgent) || is_due;
        if saves {
            state.save_at = None;
        }
        let ended = state.desks.iter().enumerate();
        let ended = ended.filter(|(_, desk)| desk.as_ref().is_some_and(|desk| desk.has_ended));
        let ended = ended.map(|(number, _)| number).collect();
        Work {
            arrivals: std::mem::take(&mut state.arrivals),
            requests: std::mem::take(&mut state.requests),
            settings: std::mem::take(&mut state.settings),
            ended,
            saves,
        }
    }

    /// Refuses further requests, unless one came meanwhile. Returns true when the thread may end.
    pub(super) fn shut(&self) -> bool {
        let mut state = self.lock();
        state.is_closed = state.requests.is_empty();
        state.is_closed
    }

    /// Passes a delivery that is on disk to the destination's thread.
    pub(super) fn forward(self: &Arc<Inbox>, mut part: ConsumerPart, range: std::ops::Range<u64>) {
        let ConsumerPart { number, count, bytes, .. } = part;
        let mut state = self.lock();
        let Some(desk) = &mut state.desks[number] else { return };
        let flight = desk.in_flight.start(range, count, bytes);
        let queue = desk.queue.clone();
        drop(state);
        part.delivery.ack = Ack::new(Box::new(Token { inbox: self.clone(), number, flight }));
        if let Err(refused) = queue.enqueue(part.delivery, count) {
            refused.ack.fail();
        }
    }

    fn acknowledge(&self, number: usize, flight: u64, outcome: Outcome) {
        let mut state = self.lock();
        let Some(desk) = &mut state.desks[number] else { return };
        if outcome != Outcome::Done {
            // It stays on disk, unless the log has given it up.
            let lost = desk.in_flight.fail(flight);
            if lost > 0 {
                stats::subtract(&desk.queue.counters.queued, lost);
                stats::add(desk.queue.counters.dropped_for(DropReason::QueueFullOldest), lost);
            }
            return;
        }
        desk.in_flight.finish(flight);
        let is_awaited = std::mem::take(&mut desk.is_awaited);
        state.is_urgent |= is_awaited;
        // The thread wakes once to learn when it has to save.
        let is_first = state.save_at.is_none();
        state.save_at.get_or_insert_with(|| Instant::now() + SAVE_WITHIN);
        drop(state);
        if is_awaited || is_first {
            self.wake.notify_one();
        }
    }
}

impl State {
    /// Joins a delivery with others of its batch.
    fn add(&mut self, part: ConsumerPart) {
        let latest = self.arrivals.iter_mut().rev().take(LATEST);
        let joins = |arrival: &&mut Arrival| {
            Arc::ptr_eq(&arrival.batch, &part.delivery.batch)
                && arrival.parts.iter().all(|known| known.number != part.number)
        };
        match latest.into_iter().find(joins) {
            Some(arrival) => arrival.parts.push(part),
            None => {
                let batch = part.delivery.batch.clone();
                self.arrivals.push_back(Arrival { batch, parts: vec![part] });
            }
        }
    }
}

impl Desk {
    fn limit(&mut self, settings: &DiskBuffer) {
        // As in a queue of its own, no more than half of what it may have on disk.
        let capacity = usize::try_from(settings.capacity_bytes / 2).unwrap_or(usize::MAX);
        self.memory_messages = settings.memory_messages;
        self.memory_bytes = settings.memory_bytes.min(capacity);
    }
}

/// The token of a delivery to a destination's thread.
struct Token {
    inbox: Arc<Inbox>,
    number: usize,
    /// Its number among the flights of the destination.
    flight: u64,
}

impl AckSink for Token {
    fn acknowledge(&self, outcome: Outcome) {
        self.inbox.acknowledge(self.number, self.flight, outcome);
    }
}
