//! Endpoints joined by links: one event after the other, in virtual time.

use super::link::{Link, LinkOptions};
use crate::codec::Packet;
use crate::{AssociationId, Endpoint, Event, Options, Peer, Time, Transmit};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// The two sides.
pub(super) const CLIENT: usize = 0;
pub(super) const SERVER: usize = 1;

pub(super) fn peer(side: usize) -> Peer {
    let text = if side == CLIENT { "10.0.0.1:9899" } else { "10.0.0.2:9899" };
    Peer { address: text.parse().unwrap(), port: 9899 }
}

fn side_of(address: SocketAddr) -> usize {
    usize::from(address == peer(SERVER).address)
}

/// Two endpoints and the links between them.
pub(super) struct Network {
    pub(super) now: u64,
    pub(super) endpoints: [Endpoint; 2],
    pub(super) links: [Link; 2],
    flights: BTreeMap<(u64, u64), (usize, Vec<u8>)>,
    count: u64,
    seed: u64,
    options: [Options; 2],
    /// `SCTP_TRACE` prints every packet that arrives.
    is_traced: bool,
}

fn endpoint(options: &Options, now: u64, seed: u64) -> Endpoint {
    let mut bytes = [7; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    Endpoint::new(Time::from_nanos(now), options.clone(), bytes)
}

impl Network {
    /// Joins two endpoints; the server listens.
    pub(super) fn new(options: &Options, there: LinkOptions, back: LinkOptions, seed: u64) -> Network {
        let server = Options { listens: true, ..options.clone() };
        let options = [options.clone(), server];
        Network {
            now: 1_000_000,
            endpoints: [0, 1].map(|side: usize| endpoint(&options[side], 0, seed * 2 + side as u64)),
            links: [Link::new(there, seed * 2 + 14), Link::new(back, seed * 2 + 15)],
            flights: BTreeMap::new(),
            count: 0,
            seed,
            options,
            is_traced: std::env::var("SCTP_TRACE").is_ok(),
        }
    }

    /// Begins one side again, as after a crash.
    pub(super) fn restart(&mut self, side: usize) {
        self.count += 1;
        let seed = self.seed ^ (self.count << 20);
        self.endpoints[side] = endpoint(&self.options[side], self.now, seed);
    }

    pub(super) fn connect(&mut self) -> AssociationId {
        let now = self.time();
        self.endpoints[CLIENT].connect(now, peer(SERVER)).unwrap()
    }

    pub(super) fn time(&self) -> Time {
        Time::from_nanos(self.now)
    }

    /// Hands packets to the links.
    pub(super) fn transmit(&mut self) {
        let now = self.time();
        for side in [CLIENT, SERVER] {
            while let Some(Transmit { to, datagram }) = self.endpoints[side].poll_transmit(now) {
                assert_ne!(side_of(to), side, "a packet to ourselves");
                for at in self.links[side].offer(self.now, datagram.len()) {
                    self.count += 1;
                    self.flights.insert((at, self.count), (1 - side, datagram.clone()));
                }
            }
        }
    }

    /// Returns the time of the next event.
    pub(super) fn next(&self) -> Option<u64> {
        let flight = self.flights.first_key_value().map(|((at, _), _)| *at);
        let timers = self.endpoints.iter().filter_map(|endpoint| endpoint.next_timeout().map(Time::as_nanos));
        timers.chain(flight).min()
    }

    /// Goes on to `until`, or only to the next event before it; returns whether there was one.
    pub(super) fn step(&mut self, until: u64) -> bool {
        self.transmit();
        let Some(next) = self.next().filter(|next| *next <= until) else {
            self.now = self.now.max(until);
            return false;
        };
        self.now = self.now.max(next);
        let now = self.time();
        let arrived = self.flights.first_entry().filter(|entry| entry.key().0 <= self.now);
        if let Some(entry) = arrived {
            let (side, datagram) = entry.remove();
            if self.is_traced {
                self.trace(side, &datagram);
            }
            self.endpoints[side].receive(now, peer(1 - side).address, &datagram);
        } else {
            self.endpoints.iter_mut().for_each(|endpoint| endpoint.handle_timeout(now));
        }
        self.transmit();
        true
    }

    fn trace(&self, side: usize, datagram: &[u8]) {
        let packet = Packet::parse(datagram).unwrap();
        let word = |chunk| format!("{chunk:?}").chars().take(120).collect::<String>();
        let words: Vec<String> = packet.chunks().map(word).collect();
        println!("{:.6} -> {side} {} {}", self.now as f64 / 1e9, datagram.len(), words.join(" "));
    }

    /// Takes the events of one side.
    pub(super) fn events(&mut self, side: usize) -> Vec<(AssociationId, Event)> {
        std::iter::from_fn(|| self.endpoints[side].poll_event()).collect()
    }

    /// Runs until a time; returns the events of both sides.
    pub(super) fn run(&mut self, until: u64) -> [Vec<(AssociationId, Event)>; 2] {
        let mut events = [Vec::new(), Vec::new()];
        loop {
            let goes_on = self.step(until);
            for side in [CLIENT, SERVER] {
                let more = self.events(side);
                events[side].extend(more);
            }
            if !goes_on {
                return events;
            }
        }
    }
}
