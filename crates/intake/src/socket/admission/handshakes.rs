//! Limits the TLS handshakes in progress.
//!
//! In: connections whose first bytes have arrived. Out: a permit for each. Holds: the permits in use, and the waiters.
//! Limits: [`CountLimits`] of permits in use. Further connections wait, in the order of arrival, peers in rotation:
//! many handshakes of one peer do not hold up another's. While a connection waits for it, a permit ends after
//! [`HONEST_WITHIN`].

use super::counts::PeerKey;
use crate::options::CountLimits;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::oneshot, time::sleep};

/// A handshake over a slow line is over by then: two or three round trips.
const HONEST_WITHIN: Duration = Duration::from_secs(3);
/// How often a longer handshake checks whether others wait.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The permits of one listener. Clones share them.
#[derive(Clone, Default)]
pub(in super::super) struct HandshakePermits(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    active: usize,
    peers: HashMap<PeerKey, Peer>,
    /// Peers with waiting connections, each once.
    rotation: VecDeque<PeerKey>,
    limits: Option<CountLimits>,
}

#[derive(Default)]
struct Peer {
    active: usize,
    waiting: VecDeque<oneshot::Sender<HandshakePermit>>,
}

/// The right to shake hands now, until it is dropped.
pub(in super::super) struct HandshakePermit {
    permits: HandshakePermits,
    peer: PeerKey,
}

impl HandshakePermits {
    /// Waits for a permit.
    pub(in super::super) async fn take(&self, peer: PeerKey, limits: CountLimits) -> HandshakePermit {
        let waiting = {
            let mut state = self.lock();
            state.limits = Some(limits);
            let nobody_waits = state.peers.get(&peer).is_none_or(|peer| peer.waiting.is_empty());
            if nobody_waits && state.has_permit_for(peer) {
                state.begin(peer);
                return HandshakePermit { permits: self.clone(), peer };
            }
            let (give, waiting) = oneshot::channel();
            let queue = &mut state.peers.entry(peer).or_default().waiting;
            queue.push_back(give);
            if queue.len() == 1 {
                state.rotation.push_back(peer);
            }
            waiting
        };
        // A reload may have raised the limits.
        self.give();
        match waiting.await {
            Ok(permit) => permit,
            // The queue lives as long as this clone of the permits. The deadline of the caller would end the wait.
            Err(_) => std::future::pending().await,
        }
    }

    /// Returns true when someone waits for the permit of a peer.
    pub(super) fn is_wanted(&self, peer: PeerKey) -> bool {
        let state = self.lock();
        let is_waiting = |peer: &Peer| peer.waiting.iter().any(|waiting| !waiting.is_closed());
        let is_full = state.limits.is_some_and(|limits| state.active >= limits.total);
        match is_full {
            true => state.rotation.iter().any(|peer| state.peers.get(peer).is_some_and(is_waiting)),
            false => state.peers.get(&peer).is_some_and(is_waiting),
        }
    }

    /// Assigns free permits to connections that wait.
    fn give(&self) {
        // Permits that were no longer accepted return here when the lock is free again.
        let mut refused = Vec::new();
        let mut state = self.lock();
        let mut passed = 0;
        while passed < state.rotation.len() {
            let Some(peer) = state.rotation.pop_front() else { break };
            if !state.has_permit_for(peer) {
                state.rotation.push_back(peer);
                passed += 1;
                continue;
            }
            let Some(queue) = state.peers.get_mut(&peer).map(|peer| &mut peer.waiting) else { continue };
            // Connections that gave up waiting are skipped.
            let next = std::iter::from_fn(|| queue.pop_front()).find(|waiting| !waiting.is_closed());
            if !queue.is_empty() {
                state.rotation.push_back(peer);
            }
            if let Some(waiting) = next {
                state.begin(peer);
                let permit = HandshakePermit { permits: self.clone(), peer };
                refused.extend(waiting.send(permit).err());
                passed = 0;
            } else {
                state.forget_if_idle(peer);
            }
        }
        drop(state);
        drop(refused);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has_permit_for(&self, peer: PeerKey) -> bool {
        let Some(limits) = self.limits else { return true };
        let same = self.peers.get(&peer).map_or(0, |peer| peer.active);
        self.active < limits.total && limits.per_peer.is_none_or(|most| same < most)
    }

    fn begin(&mut self, peer: PeerKey) {
        self.active += 1;
        self.peers.entry(peer).or_default().active += 1;
    }

    fn forget_if_idle(&mut self, peer: PeerKey) {
        if self.peers.get(&peer).is_some_and(|peer| peer.active == 0 && peer.waiting.is_empty()) {
            self.peers.remove(&peer);
        }
    }
}

impl HandshakePermit {
    /// Waits until this permit has lasted longer than an honest handshake and someone waits for it.
    pub(in super::super) async fn outstayed(&self) {
        sleep(HONEST_WITHIN).await;
        while !self.permits.is_wanted(self.peer) {
            sleep(LOOK_EVERY).await;
        }
    }
}

impl Drop for HandshakePermit {
    fn drop(&mut self) {
        let mut state = self.permits.lock();
        state.active = state.active.saturating_sub(1);
        if let Some(peer) = state.peers.get_mut(&self.peer) {
            peer.active = peer.active.saturating_sub(1);
        }
        state.forget_if_idle(self.peer);
        drop(state);
        self.permits.give();
    }
}
