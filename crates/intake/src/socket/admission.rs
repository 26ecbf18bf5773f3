//! Decides which connections a listener accepts, and which are closed to make room for others.
//!
//! In: new connections, and their progress. Out: a permit for each, or the reason why there is none. Holds:
//! counts by peer, and which connections have not proven themselves: they still shake hands, or have sent no message.
//! Limits: `max-connections()` and `max-connections-per-address()` of the listener, and the [`ConnectionBudget`] of all
//! listeners. At a limit a new connection is refused, unless one that is at least [`YOUNG_FOR`] old can be closed: at
//! those of the listener the oldest handshake (of the new connection's address, or of the address with the most); at
//! the budget the oldest silent connection of the address with the most, when there are at least [`SILENT_MIN`] of
//! these.

mod candidates;
mod counts;
mod handshakes;

pub(super) use counts::{Full, PeerCounts, PeerKey, PeerSlot};
pub(super) use handshakes::HandshakePermits;

use crate::options::CountLimits;
use candidates::{Candidates, Displacement};
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use transport::stats::RefusalReason;

/// A connection younger than this is not closed: an honest peer needs a moment for its handshake and its first message.
const YOUNG_FOR: Duration = Duration::from_secs(1);
/// Number of silent connections of one address up to which they are normal and not closed.
const SILENT_MIN: usize = 16;
/// Connections that may be open beyond a limit until those being closed have ended.
const LEAVING_MAX: usize = 16;
/// The default budget.
const BUDGET: usize = 1 << 20;

/// The connections that all listeners of the process may have together. Clones share it.
#[derive(Clone)]
pub(crate) struct ConnectionBudget(Arc<Mutex<Spent>>);

struct Spent {
    max: usize,
    count: usize,
    /// Number of the next connection.
    next: u64,
    /// Connections that have sent no message.
    silent: Candidates,
}

impl Default for ConnectionBudget {
    fn default() -> ConnectionBudget {
        let spent = Spent { max: BUDGET, count: 0, next: 0, silent: Candidates::default() };
        ConnectionBudget(Arc::new(Mutex::new(spent)))
    }
}

impl ConnectionBudget {
    /// Sets how many connections there may be.
    pub(crate) fn set_max(&self, max: usize) {
        self.lock().max = max;
    }

    /// Returns how many connections there may be.
    pub(super) fn max(&self) -> usize {
        self.lock().max
    }

    /// Closes a connection because the process is out of descriptors.
    pub(super) fn relieve(&self, now: Instant) {
        let mut spent = self.lock();
        if let Some(busiest) = spent.silent.busiest(1) {
            spent.silent.displace(busiest, now, Duration::ZERO, RefusalReason::OpenFiles);
        }
    }

    /// Counts a connection that has sent nothing yet, and returns its number.
    fn spend(&self, peer: PeerKey, leave: &Arc<Displacement>, now: Instant) -> Result<u64, RefusalReason> {
        let reason = RefusalReason::OpenFiles;
        let mut spent = self.lock();
        if spent.count >= spent.max {
            let may_displace = spent.count < spent.max.saturating_add(LEAVING_MAX);
            let busiest = spent.silent.busiest(SILENT_MIN).filter(|_| may_displace).ok_or(reason)?;
            if !spent.silent.displace(busiest, now, YOUNG_FOR, reason) {
                return Err(reason);
            }
        }
        spent.count += 1;
        let number = spent.next;
        spent.next += 1;
        spent.silent.insert(number, peer, now, leave.clone());
        Ok(number)
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The connections of one listener.
pub(super) struct Admission {
    budget: ConnectionBudget,
    open: PeerCounts,
    handshaking: Mutex<Candidates>,
}

impl Admission {
    pub(super) fn new(budget: ConnectionBudget) -> Arc<Admission> {
        Arc::new(Admission { budget, open: PeerCounts::default(), handshaking: Mutex::default() })
    }

    /// Admits a connection, or returns the limit that forbids it.
    pub(super) fn admit(
        self: &Arc<Self>,
        peer: PeerKey,
        limits: CountLimits,
        now: Instant,
    ) -> Result<Arc<ConnectionPermit>, RefusalReason> {
        let slot = match self.open.enter(peer, limits) {
            Ok(slot) => slot,
            Err(full) => self.enter_for_another(peer, limits, full, now)?,
        };
        let leave = Arc::<Displacement>::default();
        let number = self.budget.spend(peer, &leave, now)?;
        Ok(Arc::new(ConnectionPermit { admission: Arc::clone(self), number, peer, leave, _slot: slot }))
    }

    /// Counts a connection in place of a handshake that takes too long.
    fn enter_for_another(
        &self,
        peer: PeerKey,
        limits: CountLimits,
        full: Full,
        now: Instant,
    ) -> Result<PeerSlot, RefusalReason> {
        let mut handshaking = self.handshaking();
        let (of, reason) = match full {
            Full::Peer => (Some(peer), RefusalReason::PerAddress),
            Full::Total => (handshaking.busiest(1), RefusalReason::MaxConnections),
        };
        let slot = self.open.enter(peer, limits.and(LEAVING_MAX)).map_err(|_| reason)?;
        match of.is_some_and(|of| handshaking.displace(of, now, YOUNG_FOR, reason)) {
            true => Ok(slot),
            false => Err(reason),
        }
    }

    fn handshaking(&self) -> MutexGuard<'_, Candidates> {
        self.handshaking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right of one connection to be open, until it is dropped.
pub(super) struct ConnectionPermit {
    admission: Arc<Admission>,
    number: u64,
    peer: PeerKey,
    leave: Arc<Displacement>,
    _slot: PeerSlot,
}

impl ConnectionPermit {
    /// The party that the connection is counted for.
    pub(super) fn peer(&self) -> PeerKey {
        self.peer
    }

    /// Notes that a handshake begins: from now on the connection may be closed in favour of others of its listener.
    pub(super) fn handshake_begins(&self) {
        self.admission.handshaking().insert(self.number, self.peer, Instant::now(), self.leave.clone());
    }

    /// Notes that the handshake is over, successful or not.
    pub(super) fn handshake_ends(&self) {
        self.admission.handshaking().remove(self.number, self.peer);
    }

    /// Notes that the connection has sent a message: it is no longer closed for others.
    pub(super) fn prove(&self) {
        self.admission.budget.lock().silent.remove(self.number, self.peer);
    }

    /// Waits until the connection must be closed for another.
    pub(super) async fn displaced(&self) -> RefusalReason {
        self.leave.ordered().await
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.handshake_ends();
        let mut spent = self.admission.budget.lock();
        spent.count = spent.count.saturating_sub(1);
        spent.silent.remove(self.number, self.peer);
    }
}

#[cfg(test)]
mod tests;
