//! Counts things in total and for each peer.
//!
//! In: peers. Out: a slot for each, which is released when dropped. Holds: the counts.
//! Limits: [`CountLimits`], which the caller names each time: a reload may change them.

use crate::options::CountLimits;
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The party that connections are counted by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in super::super) enum PeerKey {
    /// An IPv4 address, or the first 64 bits of an IPv6 address.
    Network([u8; 16]),
    /// A user of this machine, by number.
    User(u32),
}

impl PeerKey {
    /// The key of an internet address.
    pub(in super::super) fn of(address: IpAddr) -> PeerKey {
        PeerKey::Network(message::peer_network(address))
    }
}

/// The limit that is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Full {
    /// There are too many of this peer.
    Peer,
    /// There are too many altogether.
    Total,
}

/// The counts. Clones share them.
#[derive(Clone, Default)]
pub(in super::super) struct PeerCounts(Arc<Mutex<Counts>>);

#[derive(Default)]
struct Counts {
    total: usize,
    of_peer: HashMap<PeerKey, usize>,
}

impl PeerCounts {
    /// Counts one more of a peer, unless a limit is reached.
    pub(in super::super) fn enter(&self, peer: PeerKey, limits: CountLimits) -> Result<PeerSlot, Full> {
        let mut counts = self.lock();
        let same = counts.of_peer.get(&peer).copied().unwrap_or(0);
        if limits.per_peer.is_some_and(|most| same >= most) {
            return Err(Full::Peer);
        }
        if counts.total >= limits.total {
            return Err(Full::Total);
        }
        counts.total += 1;
        counts.of_peer.insert(peer, same + 1);
        Ok(PeerSlot { counts: self.clone(), peer })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One that is counted, until it is dropped.
pub(in super::super) struct PeerSlot {
    counts: PeerCounts,
    peer: PeerKey,
}

impl Drop for PeerSlot {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        counts.total = counts.total.saturating_sub(1);
        if let Some(same) = counts.of_peer.get_mut(&self.peer) {
            *same -= 1;
            if *same == 0 {
                counts.of_peer.remove(&self.peer);
            }
        }
    }
}
