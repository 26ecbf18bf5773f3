//! An endpoint: its associations, and what comes from strangers (RFC 9260, 5, 8.4 and 8.5; RFC 6951).
//!
//! In: datagrams with their addresses, messages, time. Out: datagrams, events. Holds: associations; no state for a peer whose
//! cookie has not come back. Limits: numbers of associations, in all and of one address; answers to strangers that wait.

mod answers;
mod associations;
mod counters;
mod strangers;

pub use answers::Transmit;
pub use counters::Counters;

use crate::association::{self, Association};
use crate::codec::{Chunk, Packet};
use crate::interface::{AssociationId, Event, Message, MessageId, Options, Peer, SendError, Time};
use crate::secrets::{CookieSecrets, Random};
use answers::Answers;
use associations::Associations;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;

/// One end of SCTP, for one port.
pub struct Endpoint {
    options: Arc<Options>,
    random: Random,
    cookies: CookieSecrets,
    associations: Associations,
    answers: Answers,
    events: VecDeque<(AssociationId, Event)>,
    counters: Counters,
}

impl Endpoint {
    /// Creates an endpoint. `seed` is random; who knows it can forge cookies and tags.
    pub fn new(now: Time, options: Options, seed: [u8; 32]) -> Endpoint {
        let mut random = Random::new(seed);
        Endpoint {
            options: Arc::new(options),
            cookies: CookieSecrets::new(now, &mut random),
            random,
            associations: Associations::default(),
            answers: Answers::default(),
            events: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// Begins an association; `None` if there are too many, or there is one with that peer.
    pub fn connect(&mut self, now: Time, peer: Peer) -> Option<AssociationId> {
        if self.associations.len() >= self.options.associations_max
            || self.associations.of_peer(peer).is_some()
        {
            return None;
        }
        let association = association::connect(now, &self.options, peer, &mut self.random);
        let id = self.associations.insert(association);
        self.settle(id);
        Some(id)
    }

    /// Takes a datagram.
    pub fn receive(&mut self, now: Time, from: SocketAddr, datagram: &[u8]) {
        let Ok(packet) = Packet::parse(datagram) else {
            self.counters.invalid_packets += 1;
            return;
        };
        if packet.destination_port != self.options.port {
            self.counters.stray_packets += 1;
            return;
        }
        let peer = Peer { address: from, port: packet.source_port };
        match packet.chunks().next() {
            Some(Ok(Chunk::Init(init))) => self.on_init(now, peer, &packet, &init),
            Some(Ok(Chunk::CookieEcho(cookie))) => self.on_cookie(now, peer, &packet, cookie),
            Some(Ok(first)) => self.on_packet(now, peer, &packet, &first),
            _ => self.counters.invalid_packets += 1,
        }
    }

    /// Takes a message to be sent.
    pub fn send(&mut self, now: Time, id: AssociationId, message: Message) -> Result<MessageId, SendError> {
        let association = self.associations.get_mut(id).ok_or(SendError::Closed)?;
        let sent = association.send(now, message);
        self.settle(id);
        sent
    }

    /// Ends an association when everything is delivered.
    pub fn shut_down(&mut self, now: Time, id: AssociationId) {
        if let Some(association) = self.associations.get_mut(id) {
            association.shut_down(now);
            self.settle(id);
        }
    }

    /// Ends an association at once.
    pub fn abort(&mut self, id: AssociationId) {
        if let Some(association) = self.associations.get_mut(id) {
            association.abort();
            self.settle(id);
        }
    }

    /// Returns the next datagram to be sent.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Transmit> {
        if let Some(answer) = self.answers.pop() {
            return Some(answer);
        }
        while let Some(id) = self.associations.next_ready() {
            let Some(association) = self.associations.get_mut(id) else { continue };
            let random = &mut self.random;
            let datagram = association.poll_transmit(now, || random.number());
            let to = association.peer.address;
            self.collect(id);
            if let Some(datagram) = datagram {
                self.associations.ready_again(id);
                return Some(Transmit { to, datagram });
            }
            self.associations.set_timer(id);
        }
        None
    }

    /// Returns when [`Endpoint::handle_timeout`] has something to do.
    pub fn next_timeout(&self) -> Option<Time> {
        self.associations.next_timeout()
    }

    /// Does what is due.
    pub fn handle_timeout(&mut self, now: Time) {
        for id in self.associations.due(now) {
            if let Some(association) = self.associations.get_mut(id) {
                association.handle_timeout(now);
                self.settle(id);
            }
        }
    }

    /// Returns what has happened, in its order. Arrived messages use the memory of their association until they are taken.
    pub fn poll_event(&mut self) -> Option<(AssociationId, Event)> {
        let (id, event) = self.events.pop_front()?;
        if let Event::Received(message) = &event
            && let Some(association) = self.associations.get_mut(id)
        {
            association.taken(message);
            self.associations.ready_again(id);
        }
        Some((id, event))
    }

    /// Returns the number of associations.
    pub fn associations(&self) -> usize {
        self.associations.len()
    }

    /// Returns what was dropped.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Takes the events of an association that was touched, and notes that it may have packets to send.
    fn settle(&mut self, id: AssociationId) {
        self.collect(id);
        self.associations.ready_again(id);
    }

    /// Takes the events of an association; removes it if it is gone.
    fn collect(&mut self, id: AssociationId) {
        let Some(association) = self.associations.get_mut(id) else { return };
        let events = association.take_events();
        self.events.extend(events.into_iter().map(|event| (id, event)));
        if association.is_closed() {
            let to = association.peer.address;
            if let Some(datagram) = association.take_last_packet() {
                self.answers.push_last(Transmit { to, datagram });
            }
            self.associations.remove(id);
        }
    }

    /// Takes a packet that belongs to an association, or to none.
    fn on_packet(&mut self, now: Time, peer: Peer, packet: &Packet<'_>, first: &Chunk<'_>) {
        let Some(id) = self.owner(peer, packet, first) else {
            self.on_stray(peer, packet, first);
            return;
        };
        // A translator of addresses may have given the peer another port (RFC 6951, 5.4).
        self.associations.set_peer(id, peer);
        if let Some(association) = self.associations.get_mut(id) {
            association.receive(now, packet);
            self.settle(id);
        }
    }

    /// Returns the association whose tag a packet has, if it comes from its peer.
    fn owner(&self, peer: Peer, packet: &Packet<'_>, first: &Chunk<'_>) -> Option<AssociationId> {
        let is_from = |association: &Association| {
            association.peer.address.ip() == peer.address.ip() && association.peer.port == peer.port
        };
        let by_tag = self.associations.of_tag(packet.tag);
        let by_tag = by_tag.filter(|id| self.associations.get(*id).is_some_and(is_from));
        match first {
            // The tag is that of the peer: it has no state any more.
            Chunk::Abort { reflected: true, .. } | Chunk::ShutdownComplete { reflected: true } => {
                let id = self.associations.of_peer(peer)?;
                let is_its = |association: &Association| association.agreement.remote_tag == packet.tag;
                (packet.tag != 0 && self.associations.get(id).is_some_and(is_its)).then_some(id)
            }
            _ => by_tag,
        }
    }
}
