//! The associations of an endpoint, by number, by tag and by peer, and which of them have something to do.
//!
//! In: associations. Out: the same, by what a packet says. Holds: timers, and those that may have packets to send, in turn.
//! Limits: the endpoint bounds their number.

use crate::association::Association;
use crate::interface::{AssociationId, Peer, Time};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;

/// An association and what was noted of it.
struct Entry {
    association: Association,
    /// The tag and the peer under which it is found.
    tag: u32,
    peer: Peer,
    timer: Option<Time>,
    is_ready: bool,
}

/// The associations.
#[derive(Default)]
pub(super) struct Associations {
    entries: BTreeMap<AssociationId, Entry>,
    by_tag: BTreeMap<u32, AssociationId>,
    by_peer: BTreeMap<Peer, AssociationId>,
    by_address: BTreeMap<IpAddr, usize>,
    timers: BTreeSet<(Time, AssociationId)>,
    ready: VecDeque<AssociationId>,
    next: u64,
}

impl Associations {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn of_address(&self, address: IpAddr) -> usize {
        self.by_address.get(&address).copied().unwrap_or_default()
    }

    pub(super) fn of_tag(&self, tag: u32) -> Option<AssociationId> {
        self.by_tag.get(&tag).copied()
    }

    pub(super) fn of_peer(&self, peer: Peer) -> Option<AssociationId> {
        self.by_peer.get(&peer).copied()
    }

    pub(super) fn get(&self, id: AssociationId) -> Option<&Association> {
        self.entries.get(&id).map(|entry| &entry.association)
    }

    pub(super) fn get_mut(&mut self, id: AssociationId) -> Option<&mut Association> {
        self.entries.get_mut(&id).map(|entry| &mut entry.association)
    }

    pub(super) fn insert(&mut self, association: Association) -> AssociationId {
        let id = AssociationId(self.next);
        self.next += 1;
        let (tag, peer) = (association.agreement.local_tag, association.peer);
        self.by_tag.insert(tag, id);
        self.by_peer.insert(peer, id);
        *self.by_address.entry(peer.address.ip()).or_default() += 1;
        self.entries.insert(id, Entry { association, tag, peer, timer: None, is_ready: false });
        id
    }

    pub(super) fn remove(&mut self, id: AssociationId) {
        let Some(entry) = self.entries.remove(&id) else { return };
        self.by_tag.remove(&entry.tag);
        self.by_peer.remove(&entry.peer);
        if let Some(timer) = entry.timer {
            self.timers.remove(&(timer, id));
        }
        let address = entry.peer.address.ip();
        if let Some(count) = self.by_address.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
    }

    /// Notes the peer's new port, or after a handshake the new tag. Another association with that peer keeps it.
    pub(super) fn set_peer(&mut self, id: AssociationId, peer: Peer) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        let tag = entry.association.agreement.local_tag;
        if entry.tag != tag {
            self.by_tag.remove(&entry.tag);
            self.by_tag.insert(tag, id);
            entry.tag = tag;
        }
        if entry.peer != peer
            && entry.peer.address.ip() == peer.address.ip()
            && !self.by_peer.contains_key(&peer)
        {
            self.by_peer.remove(&entry.peer);
            self.by_peer.insert(peer, id);
            entry.peer = peer;
            entry.association.peer = peer;
        }
    }

    /// Notes that an association may have packets to send.
    pub(super) fn ready_again(&mut self, id: AssociationId) {
        if let Some(entry) = self.entries.get_mut(&id)
            && !std::mem::replace(&mut entry.is_ready, true)
        {
            self.ready.push_back(id);
        }
    }

    /// Takes the association that has waited longest to send.
    pub(super) fn next_ready(&mut self) -> Option<AssociationId> {
        let id = self.ready.pop_front()?;
        if let Some(entry) = self.entries.get_mut(&id) {
            entry.is_ready = false;
        }
        Some(id)
    }

    /// Notes when an association has something to do that has nothing to send now.
    pub(super) fn set_timer(&mut self, id: AssociationId) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        let timer = entry.association.next_timeout();
        if entry.timer == timer {
            return;
        }
        if let Some(old) = std::mem::replace(&mut entry.timer, timer) {
            self.timers.remove(&(old, id));
        }
        if let Some(new) = timer {
            self.timers.insert((new, id));
        }
    }

    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.timers.first().map(|(time, _)| *time)
    }

    /// Takes the associations whose time has come.
    pub(super) fn due(&mut self, now: Time) -> Vec<AssociationId> {
        let mut due = Vec::new();
        while let Some((time, id)) = self.timers.first().copied() {
            if time > now {
                break;
            }
            self.timers.remove(&(time, id));
            if let Some(entry) = self.entries.get_mut(&id) {
                entry.timer = None;
            }
            due.push(id);
        }
        due
    }
}
