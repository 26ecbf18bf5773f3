//! The streams of all senders of a listener: how far each was accepted, and how far it is safe.
//!
//! In: what connections accepted, outcomes of batches. Out: where a sender resumes, what may be acknowledged. Holds: a
//! few numbers for each stream. They outlive connections, so that a sender that comes back at once repeats nothing.
//! Limits: [`STREAMS_MAX`] streams; those without a connection go first, the oldest of them.
//!
//! `accepted` is where the next frame begins. `safe` is where acknowledgements end: everything below it is with the
//! server's destinations. Between the two are batches that are being processed.

use message::{NumberedStream, Outcome, STREAMS_MAX, StreamKey};
use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use wire::sltp::{RefusalCode, StreamOffer};

/// Keeps positions of streams over restarts.
pub trait PositionStore: Send + Sync {
    /// Returns what was saved for a stream: where it is safe, and the run of its sender.
    fn load(&self, key: &StreamKey) -> Option<(u64, u64)>;

    /// Saves where a stream is safe, soon. When that is on the disk, [`NumberedStream::settle`] is called.
    fn save(&self, stream: &Arc<NumberedStream>, safe: u64, run: u64);

    /// Removes what was saved for a stream.
    fn forget(&self, key: &StreamKey);
}

/// Keeps no positions, for a server without a folder for them.
pub struct NoPositions;

impl PositionStore for NoPositions {
    fn load(&self, _key: &StreamKey) -> Option<(u64, u64)> {
        None
    }

    fn save(&self, stream: &Arc<NumberedStream>, safe: u64, _run: u64) {
        stream.settle(safe);
    }

    fn forget(&self, _key: &StreamKey) {}
}

/// Called when something changed that a connection has to answer.
pub(super) type Notify = Arc<dyn Fn() + Send + Sync>;

/// The streams of a listener. Clones share them.
#[derive(Clone)]
pub struct Streams(Arc<Shared>);

struct Shared {
    positions: Box<dyn PositionStore>,
    state: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    streams: HashMap<StreamKey, Arc<Stream>>,
    connections: u64,
}

/// One stream.
pub(super) struct Stream {
    pub(super) numbered: Arc<NumberedStream>,
    shared: Weak<Shared>,
    state: Mutex<State>,
}

struct State {
    /// The connection that it belongs to.
    owner: u64,
    notify: Option<Notify>,
    run: u64,
    accepted: u64,
    safe: u64,
    /// Batches that are done while one before them is not: first number, number after the last.
    done: BTreeMap<u64, u64>,
    /// Grows when a batch fails: outcomes of older batches no longer matter.
    generation: u64,
    has_failed: bool,
}

/// A part of a stream that is being processed.
pub struct Ticket {
    stream: Arc<Stream>,
    generation: u64,
    from: u64,
    until: u64,
}

/// The progress of a stream, for its connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Progress {
    pub(super) safe: u64,
    pub(super) accepted: u64,
    pub(super) is_owned: bool,
    pub(super) has_failed: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Streams {
    /// Creates an empty set that keeps its positions somewhere.
    pub fn new(positions: Box<dyn PositionStore>) -> Streams {
        Streams(Arc::new(Shared { positions, state: Mutex::default() }))
    }

    /// Returns a number for a new connection. A later connection has a higher one.
    pub(super) fn next_connection(&self) -> u64 {
        let mut known = lock(&self.0.state);
        known.connections += 1;
        known.connections
    }

    /// Gives a stream to a connection, which takes it from the one that had it. Returns it and where it resumes.
    pub(super) fn attach(
        &self,
        key: &StreamKey,
        offer: &StreamOffer,
        run: u64,
        (connection, notify): (u64, &Notify),
    ) -> Result<(Arc<Stream>, u64), RefusalCode> {
        let stream = self.stream(key, offer, run)?;
        let mut state = lock(&stream.state);
        // This run gives numbers that another run gave before: its queue is an old copy.
        if state.run != run && offer.fresh < state.accepted {
            return Err(RefusalCode::Epoch);
        }
        let before = state.notify.replace(notify.clone());
        (state.owner, state.run, state.has_failed) = (connection, run, false);
        // The sender knows that everything below is acknowledged: we have forgotten it, or never had it.
        if offer.lowest > state.accepted {
            state.generation += 1;
            state.done.clear();
            (state.accepted, state.safe) = (offer.lowest, offer.lowest);
        }
        let next = state.accepted;
        drop(state);
        before.into_iter().for_each(|notify| notify());
        Ok((stream, next))
    }

    fn stream(&self, key: &StreamKey, offer: &StreamOffer, run: u64) -> Result<Arc<Stream>, RefusalCode> {
        let mut known = lock(&self.0.state);
        if let Some(stream) = known.streams.get(key) {
            return Ok(stream.clone());
        }
        if known.streams.len() >= STREAMS_MAX {
            let left = known.streams.iter().filter(|(_, stream)| lock(&stream.state).notify.is_none());
            let oldest = left.min_by_key(|(_, stream)| lock(&stream.state).owner).map(|(key, _)| key.clone());
            let oldest = oldest.ok_or(RefusalCode::Busy)?;
            known.streams.remove(&oldest);
            self.0.positions.forget(&oldest);
        }
        let (safe, run) = self.0.positions.load(key).unwrap_or((offer.lowest, run));
        let state = State {
            owner: 0,
            notify: None,
            run,
            accepted: safe,
            safe,
            done: BTreeMap::new(),
            generation: 0,
            has_failed: false,
        };
        let stream = Arc::new(Stream {
            numbered: Arc::new(NumberedStream::new(key.clone(), safe)),
            shared: Arc::downgrade(&self.0),
            state: Mutex::new(state),
        });
        known.streams.insert(key.clone(), stream.clone());
        Ok(stream)
    }
}

impl Stream {
    /// Accepts the numbers of a frame. Returns the first that is new, and a ticket for those from there on; `None`
    /// when all of them came before.
    pub(super) fn accept(
        self: &Arc<Stream>,
        connection: u64,
        (from, until): (u64, u64),
    ) -> Result<Option<(u64, Ticket)>, super::Violation> {
        let mut state = lock(&self.state);
        if state.owner != connection {
            return Err(super::Violation::Replaced);
        }
        if state.has_failed {
            return Err(super::Violation::Failed);
        }
        if from > state.accepted {
            return Err(super::Violation::Hole);
        }
        if until <= state.accepted {
            return Ok(None);
        }
        let first = state.accepted;
        state.accepted = until;
        let ticket = Ticket { stream: self.clone(), generation: state.generation, from: first, until };
        Ok(Some((first, ticket)))
    }

    /// Returns how far it is, for its connection.
    pub(super) fn progress(&self, connection: u64) -> Progress {
        let state = lock(&self.state);
        let is_owned = state.owner == connection;
        Progress {
            safe: state.safe,
            accepted: state.accepted,
            is_owned,
            has_failed: is_owned && state.has_failed,
        }
    }

    /// Leaves it without a connection.
    pub(super) fn detach(&self, connection: u64) {
        let mut state = lock(&self.state);
        if state.owner == connection {
            state.notify = None;
        }
    }

    fn complete(&self, ticket: &Ticket, outcome: Outcome) {
        let mut state = lock(&self.state);
        if state.generation != ticket.generation {
            return;
        }
        match outcome {
            Outcome::Done => {
                state.done.insert(ticket.from, ticket.until);
                let before = state.safe;
                while let Some(until) = {
                    let safe = state.safe;
                    state.done.remove(&safe)
                } {
                    state.safe = until;
                }
                if state.safe == before {
                    return;
                }
                debug_assert!(state.safe <= state.accepted);
                if let Some(shared) = self.shared.upgrade() {
                    shared.positions.save(&self.numbered, state.safe, state.run);
                }
            }
            // Whatever is not acknowledged has to come again.
            Outcome::Failed => {
                state.generation += 1;
                state.done.clear();
                state.accepted = state.safe;
                state.has_failed = true;
            }
        }
        let notify = state.notify.clone();
        drop(state);
        notify.into_iter().for_each(|notify| notify());
    }
}

impl Ticket {
    /// Reports what became of its messages.
    pub fn complete(&self, outcome: Outcome) {
        self.stream.complete(self, outcome);
    }

    /// Reports that nobody waits for its messages: what becomes of them no longer matters.
    pub(super) fn complete_at_once(&mut self) {
        self.complete(Outcome::Done);
        self.generation = u64::MAX;
    }

    /// Returns the stream, for the numbers of the messages.
    pub fn numbered(&self) -> &Arc<NumberedStream> {
        &self.stream.numbered
    }
}
