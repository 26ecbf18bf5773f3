//! Connections that may be closed in favour of others, by peer.
//!
//! In: connections that have not proven themselves. Out: the signal to close, to the oldest of a peer. Holds: them.
//! Limits: none of its own; each operation is a search in a tree.

use super::counts::PeerKey;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};
use tokio::sync::Notify;
use transport::stats::RefusalReason;

/// The signal to a connection that it has to leave, and why.
#[derive(Default)]
pub(super) struct Displacement {
    reason: OnceLock<RefusalReason>,
    signal: Notify,
}

impl Displacement {
    /// Waits for the signal.
    pub(super) async fn ordered(&self) -> RefusalReason {
        loop {
            self.signal.notified().await;
            if let Some(reason) = self.reason.get() {
                return *reason;
            }
        }
    }

    fn order(&self, reason: RefusalReason) {
        // The first reason is the one that is logged.
        let _ = self.reason.set(reason);
        self.signal.notify_one();
    }
}

struct Candidate {
    since: Instant,
    displacement: Arc<Displacement>,
}

/// The connections, by peer and number: the oldest of a peer comes first.
#[derive(Default)]
pub(super) struct Candidates {
    entries: BTreeMap<(PeerKey, u64), Candidate>,
    of_peer: HashMap<PeerKey, usize>,
    /// The same counts, the peer with the most at the end.
    by_count: BTreeSet<(usize, PeerKey)>,
}

impl Candidates {
    /// Adds a connection. Numbers rise.
    pub(super) fn insert(&mut self, number: u64, peer: PeerKey, since: Instant, to: Arc<Displacement>) {
        let candidate = Candidate { since, displacement: to };
        if self.entries.insert((peer, number), candidate).is_none() {
            self.count(peer, |count| count + 1);
        }
    }

    /// Forgets a connection; a missing one is not an error.
    pub(super) fn remove(&mut self, number: u64, peer: PeerKey) {
        if self.entries.remove(&(peer, number)).is_some() {
            self.count(peer, |count| count - 1);
        }
    }

    /// Returns the peer with the most connections, when these are at least `least`.
    pub(super) fn busiest(&self, least: usize) -> Option<PeerKey> {
        self.by_count.last().filter(|(count, _)| *count >= least).map(|(_, peer)| *peer)
    }

    /// Signals the oldest connection of a peer to close, if it is at least `age` old. Returns true if there was one.
    pub(super) fn displace(
        &mut self,
        peer: PeerKey,
        now: Instant,
        age: Duration,
        reason: RefusalReason,
    ) -> bool {
        let oldest = self.entries.range((peer, 0)..=(peer, u64::MAX)).next();
        let Some((key, candidate)) = oldest else { return false };
        if now.saturating_duration_since(candidate.since) < age {
            return false;
        }
        candidate.displacement.order(reason);
        let number = key.1;
        self.remove(number, peer);
        true
    }

    fn count(&mut self, peer: PeerKey, change: impl FnOnce(usize) -> usize) {
        let old = self.of_peer.remove(&peer).unwrap_or(0);
        self.by_count.remove(&(old, peer));
        let new = change(old);
        if new > 0 {
            self.of_peer.insert(peer, new);
            self.by_count.insert((new, peer));
        }
        debug_assert_eq!(self.of_peer.len(), self.by_count.len(), "both hold the same counts");
    }
}
