//! A network in memory: connections that are refused, cut after any byte, slow, or handed over in pieces.
//!
//! In: a peer that answers bytes with bytes, and a fault for each connection. Out: links, in the order of dialling.
//! Holds: the peer, and the time, which passes only when someone waits. Limits: one connection at a time; answers are
//! not acknowledged, so a sender learns of a cut as from a real socket: by its next call.

use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use transport::{Dial, Link, ReadMode};

/// Time that passes in a read that waits for nothing.
const STALL: Duration = Duration::from_millis(200);

/// The other end.
pub trait Peer: Send {
    /// Begins a connection.
    fn accept(&mut self);

    /// Takes bytes, and returns the answer to them.
    fn hear(&mut self, bytes: &[u8]) -> Vec<u8>;
}

/// Faults of one connection. The default has none.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// It is refused.
    pub refused: bool,
    /// It is cut after this number of bytes from the sender; later ones are lost.
    pub sent_bytes_max: usize,
    /// It is cut after this number of bytes of the peer's answers.
    pub answered_bytes_max: usize,
    /// Most bytes of one call in either direction.
    pub piece_bytes: usize,
    /// Time that an answer needs.
    pub delay: Duration,
}

impl Default for Fault {
    fn default() -> Fault {
        Fault {
            refused: false,
            sent_bytes_max: usize::MAX,
            answered_bytes_max: usize::MAX,
            piece_bytes: usize::MAX,
            delay: Duration::ZERO,
        }
    }
}

/// A network with one peer. Clones share it.
pub struct SimNetwork<P>(Arc<Mutex<State<P>>>);

struct State<P> {
    peer: P,
    now: Instant,
    /// Faults of the next connections; later ones have none.
    faults: VecDeque<Fault>,
    /// Bytes of answers that each connection's sender has read.
    read: Vec<usize>,
    dialled: usize,
}

impl<P> Clone for SimNetwork<P> {
    fn clone(&self) -> SimNetwork<P> {
        SimNetwork(self.0.clone())
    }
}

impl<P: Peer + 'static> SimNetwork<P> {
    /// A network whose connections have these faults, in their order.
    pub fn new(peer: P, faults: impl IntoIterator<Item = Fault>) -> SimNetwork<P> {
        let faults = faults.into_iter().collect();
        SimNetwork(Arc::new(Mutex::new(State {
            peer,
            now: Instant::now(),
            faults,
            read: Vec::new(),
            dialled: 0,
        })))
    }

    fn lock(&self) -> MutexGuard<'_, State<P>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets time pass until then.
    pub fn advance_to(&self, until: Instant) {
        let mut state = self.lock();
        state.now = state.now.max(until);
    }

    /// Looks at the peer.
    pub fn peer<T>(&self, look: impl FnOnce(&P) -> T) -> T {
        look(&self.lock().peer)
    }

    /// Returns how many bytes of answers the sender has read, for each connection that was made.
    pub fn read(&self) -> Vec<usize> {
        self.lock().read.clone()
    }

    /// Returns how often someone tried to connect.
    pub fn dialled(&self) -> usize {
        self.lock().dialled
    }
}

impl<P: Peer + 'static> Dial for SimNetwork<P> {
    fn dial(&self) -> io::Result<Box<dyn Link>> {
        let mut state = self.lock();
        state.dialled += 1;
        let fault = state.faults.pop_front().unwrap_or_default();
        if fault.refused {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        state.peer.accept();
        state.read.push(0);
        let connection = state.read.len() - 1;
        drop(state);
        let link = SimLink { net: self.clone(), connection, fault, sent: 0, answers: VecDeque::new() };
        Ok(Box::new(link))
    }

    fn now(&self) -> Instant {
        self.lock().now
    }
}

/// One end of a connection.
struct SimLink<P> {
    net: SimNetwork<P>,
    connection: usize,
    fault: Fault,
    /// Number of bytes sent, including those after a cut.
    sent: usize,
    /// Answers on their way, each with the time of its arrival.
    answers: VecDeque<(Instant, Vec<u8>)>,
}

impl<P: Peer + 'static> SimLink<P> {
    /// Returns whether the sender's way is cut.
    fn is_cut(&self) -> bool {
        self.sent > self.fault.sent_bytes_max
    }
}

impl<P: Peer + 'static> Link for SimLink<P> {
    fn send(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.is_cut() {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        let size = text.len().min(self.fault.piece_bytes);
        let arrives = size.min(self.fault.sent_bytes_max - self.sent);
        self.sent += size;
        let mut state = self.net.lock();
        let answer = state.peer.hear(&text[..arrives]);
        let at = state.now + self.fault.delay;
        drop(state);
        if !answer.is_empty() {
            self.answers.push_back((at, answer));
        }
        Ok(size)
    }

    fn receive(&mut self, text: &mut Vec<u8>, mode: ReadMode) -> io::Result<bool> {
        let is_cut = self.is_cut();
        let mut state = self.net.lock();
        let read = state.read[self.connection];
        if read >= self.fault.answered_bytes_max {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if mode == ReadMode::Blocking {
            let due = self.answers.front().map_or(state.now + STALL, |(at, _)| *at);
            state.now = state.now.max(due.min(state.now + STALL));
        }
        match self.answers.front_mut() {
            Some((at, answer)) if *at <= state.now => {
                let left = self.fault.piece_bytes.min(self.fault.answered_bytes_max - read);
                let size = answer.len().min(left);
                text.extend(answer.drain(..size));
                let is_empty = answer.is_empty();
                state.read[self.connection] += size;
                drop(state);
                if is_empty {
                    self.answers.pop_front();
                }
                Ok(size > 0)
            }
            Some(_) => Ok(false),
            None if is_cut => Err(io::ErrorKind::UnexpectedEof.into()),
            None => Ok(false),
        }
    }
}
