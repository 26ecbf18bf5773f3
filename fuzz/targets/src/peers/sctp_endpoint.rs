//! An endpoint of SCTP whose peer sends anything with the right tag: nothing panics, and every answer comes to an end.

use sctp::codec::{Packet, PacketBuilder};
use sctp::{AssociationId, Endpoint, Event, Message, Options, Peer, Policy, Time};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

/// Packets of one step: far above what a window holds.
const PACKETS_MAX: usize = 10_000;

fn peer(last: u8) -> Peer {
    Peer { address: SocketAddr::from((Ipv4Addr::new(10, 0, 0, last), 9899)), port: 9899 }
}

/// Two endpoints, of which only the server is under test.
struct Pair {
    now: Time,
    client: Endpoint,
    server: Endpoint,
    association: Option<AssociationId>,
    /// The tag that the server wants.
    tag: u32,
}

impl Pair {
    fn new(interleaves: u8) -> Pair {
        let now = Time::from_nanos(1);
        let options = Options {
            listens: true,
            interleaves: interleaves & 1 == 1,
            receive_bytes: 20_000,
            send_bytes: 20_000,
            message_bytes_max: 5_000,
            ..Options::default()
        };
        let (client, server) =
            (Endpoint::new(now, options.clone(), [1; 32]), Endpoint::new(now, options, [2; 32]));
        let mut pair = Pair { now, client, server, association: None, tag: 0 };
        pair.client.connect(now, peer(1)).expect("the first association");
        (0..4).for_each(|_| pair.exchange());
        pair
    }

    /// Carries packets of the handshake.
    fn exchange(&mut self) {
        while let Some(transmit) = self.client.poll_transmit(self.now) {
            self.tag = Packet::parse(&transmit.datagram).expect("its own").tag;
            self.server.receive(self.now, peer(0).address, &transmit.datagram);
        }
        while let Some(transmit) = self.server.poll_transmit(self.now) {
            self.client.receive(self.now, peer(1).address, &transmit.datagram);
        }
        self.take_events();
    }

    fn take_events(&mut self) {
        while let Some((id, event)) = self.server.poll_event() {
            match event {
                Event::Up => self.association = Some(id),
                Event::Down(_) => self.association = None,
                _ => {}
            }
        }
    }

    fn send(&mut self, by: u8) {
        let Some(id) = self.association else { return };
        let policy = Policy {
            lane: by >> 5,
            life: (by & 1 == 1).then(|| Duration::from_millis(u64::from(by))),
            retransmissions_max: (by & 2 == 2).then_some(1),
            copies: by & 3,
            sheddable: by & 4 == 4,
        };
        let payload = vec![by; 1 + usize::from(by) * 19];
        let message =
            Message { stream: u16::from(by & 3), unordered: by & 8 == 8, protocol: 0, policy, payload };
        // A full or closed association refuses it.
        let _ = self.server.send(self.now, id, message);
    }

    /// Lets the server send, and time go on.
    fn go_on(&mut self, by: Duration) {
        let count = std::iter::from_fn(|| self.server.poll_transmit(self.now)).take(PACKETS_MAX).count();
        assert!(count < PACKETS_MAX, "answers without end");
        self.now = self.now + by;
        if self.server.next_timeout().is_some_and(|at| at <= self.now) {
            self.server.handle_timeout(self.now);
        }
    }
}

/// Runs the target: the first byte of each step says what happens; chunks have their length in the next two.
pub(crate) fn run(bytes: &[u8]) {
    let Some((first, mut rest)) = bytes.split_first() else { return };
    let mut pair = Pair::new(*first);
    while let Some((step, more)) = rest.split_first() {
        rest = more;
        match step {
            0..=63 => pair.send(*step << 2 | rest.len() as u8 & 3),
            64..=127 => pair.go_on(Duration::from_millis(1 << (step & 15))),
            128..=143 => pair.take_events(),
            _ => {
                let Some((length, more)) = rest.split_first_chunk::<2>() else { return };
                let length = usize::from(u16::from_be_bytes(*length)).min(more.len());
                let (chunks, more) = more.split_at(length);
                rest = more;
                let tag = if step & 1 == 0 { pair.tag } else { 0 };
                let mut packet = PacketBuilder::new(9899, 9899, tag, length + 12);
                packet.push_encoded(chunks);
                pair.server.receive(pair.now, peer(0).address, &packet.finish());
            }
        }
    }
    pair.go_on(Duration::from_secs(1));
    pair.go_on(Duration::from_secs(200));
}
