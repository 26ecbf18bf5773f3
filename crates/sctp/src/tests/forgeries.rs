//! A peer that knows the tag and sends anything: chunks with numbers near the right ones, in any state, and damaged ones.
//! `SCTP_FORGERIES` is how many peers are run.

use super::link::{Dice, LinkOptions};
use super::network::{CLIENT, Network, SERVER, peer};
use crate::codec::{
    Causes, Chunk, Data, ForwardTsn, Fragment, GapBlock, Init, Numbering, Packet, PacketBuilder, Parameters,
    Sack, SkippedMessage,
};
use crate::{AssociationId, Event, Message, Options, Policy};
use std::time::Duration;

/// Peers of an ordinary run, and packets of each.
const PEERS: u64 = 300;
const PACKETS: u64 = 80;
const MILLI: u64 = 1_000_000;

/// The numbers that a peer has to know.
#[derive(Default)]
struct Numbers {
    tag: u32,
    /// TSNs near which the client and the server are.
    client: u32,
    server: u32,
}

/// Sends a message each way, and reads the numbers from the packets.
fn learn(network: &mut Network, ids: [AssociationId; 2]) -> Numbers {
    let mut numbers = Numbers::default();
    let now = network.time();
    for side in [CLIENT, SERVER] {
        let message = Message {
            stream: 0,
            unordered: false,
            protocol: 0,
            policy: Policy::default(),
            payload: vec![1; 9],
        };
        network.endpoints[side].send(now, ids[side], message).unwrap();
        while let Some(sent) = network.endpoints[side].poll_transmit(now) {
            let packet = Packet::parse(&sent.datagram).unwrap();
            for chunk in packet.chunks().flatten() {
                if let Chunk::Data(data) = chunk {
                    let tsn = if side == CLIENT { &mut numbers.client } else { &mut numbers.server };
                    *tsn = data.tsn;
                }
            }
            if side == CLIENT {
                numbers.tag = packet.tag;
            }
            network.endpoints[1 - side].receive(now, peer(side).address, &sent.datagram);
        }
    }
    numbers
}

/// Appends a chunk of any kind.
fn append(out: &mut Vec<u8>, numbers: &Numbers, dice: &mut Dice) {
    let near = |tsn: u32, dice: &mut Dice| {
        let spread = [4, 40, 20_000, 1 << 32][dice.below(4) as usize];
        tsn.wrapping_add(dice.below(spread) as u32).wrapping_sub((spread / 4) as u32)
    };
    let short = |dice: &mut Dice| dice.below(8) as u16;
    let bytes = vec![dice.below(256) as u8; 1 + dice.below(200) as usize];
    let interleaved = dice.below(4) == 0;
    let numbering = if interleaved {
        Numbering::Message { id: dice.below(6) as u32, fragment: dice.below(4) as u32 }
    } else {
        Numbering::Sequence(short(dice))
    };
    let list = |dice: &mut Dice| (0..dice.below(6)).map(|_| dice.below(30) as u16).collect::<Vec<_>>();
    let chunk = match dice.below(18) {
        0..=4 => Chunk::Data(Data {
            tsn: near(numbers.client, dice),
            stream: short(dice),
            numbering,
            protocol: 0,
            fragment: [Fragment::Whole, Fragment::First, Fragment::Middle, Fragment::Last]
                [dice.below(4) as usize],
            unordered: dice.below(2) == 0,
            immediate: false,
            payload: &bytes,
        }),
        5..=8 => {
            let mut at = 0;
            let gaps = list(dice).into_iter().map(|gap| {
                let start = at + 2 + gap;
                at = start + gap % 4;
                GapBlock { start, end: at }
            });
            let gaps = gaps.collect();
            let duplicates =
                list(dice).into_iter().map(|by| numbers.server.wrapping_add(by.into())).collect();
            Chunk::Sack(Sack {
                cumulative: near(numbers.server, dice),
                window: dice.below(9_000) as u32,
                gaps,
                duplicates,
            })
        }
        9..=10 => {
            let skipped =
                list(dice).into_iter().map(|stream| SkippedMessage { stream, numbering, unordered: false });
            let forward = ForwardTsn { cumulative: near(numbers.client, dice), skipped: skipped.collect() };
            if interleaved { Chunk::IForwardTsn(forward) } else { Chunk::ForwardTsn(forward) }
        }
        11 => Chunk::Heartbeat(&bytes),
        12 => Chunk::HeartbeatAck(&bytes),
        13 if dice.below(8) == 0 => Chunk::Abort { reflected: false, causes: Causes::new(&bytes) },
        13 => Chunk::Shutdown(near(numbers.server, dice)),
        14 => [Chunk::ShutdownAck, Chunk::CookieAck, Chunk::ShutdownComplete { reflected: false }]
            [dice.below(3) as usize]
            .clone(),
        15 => Chunk::Error(Causes::new(&bytes)),
        16 => Chunk::CookieEcho(&bytes),
        _ => Chunk::InitAck(Init {
            tag: 7,
            window: 9_000,
            outbound_streams: 1,
            inbound_streams: 1,
            tsn: near(numbers.client, dice),
            parameters: Parameters::new(&bytes),
        }),
    };
    chunk.encode(out);
}

fn run(seed: u64) {
    let mut dice = Dice::new(seed);
    let link = LinkOptions::new(10e6, 5 * MILLI, 0.0);
    let options = Options {
        interleaves: seed.is_multiple_of(2),
        receive_bytes: 20_000,
        send_bytes: 30_000,
        message_bytes_max: 5_000,
        ..Options::default()
    };
    let mut network = Network::new(&options, link, link, seed);
    let client = network.connect();
    let until = network.now + 100 * MILLI;
    let [_, events] = network.run(until);
    let ids = [client, events[0].0];
    let numbers = learn(&mut network, ids);
    for _ in 0..PACKETS {
        let now = network.time();
        let mut body = Vec::new();
        (0..=dice.below(3)).for_each(|_| append(&mut body, &numbers, &mut dice));
        if dice.below(10) == 0 {
            let at = dice.below(body.len() as u64) as usize;
            body[at] = dice.below(256) as u8;
        }
        let mut packet = PacketBuilder::new(9899, 9899, numbers.tag, 1 << 16);
        packet.push_encoded(&body);
        network.endpoints[SERVER].receive(now, peer(CLIENT).address, &packet.finish());
        let policy = Policy {
            lane: dice.below(8) as u8,
            copies: dice.below(3) as u8,
            life: (dice.below(2) == 0).then(|| Duration::from_millis(dice.below(50))),
            sheddable: dice.below(2) == 0,
            ..Policy::default()
        };
        let payload = vec![3; 1 + dice.below(4_000) as usize];
        let message = Message {
            stream: dice.below(4) as u16,
            unordered: dice.below(2) == 0,
            protocol: 0,
            policy,
            payload,
        };
        // It may be full, or gone.
        let _ = network.endpoints[SERVER].send(now, ids[SERVER], message);
        let sent = std::iter::from_fn(|| network.endpoints[SERVER].poll_transmit(now)).take(500).count();
        assert!(sent < 500, "seed {seed}: packets without end");
        let arrived: usize = network
            .events(SERVER)
            .iter()
            .map(|(_, event)| if let Event::Received(message) = event { message.payload.len() } else { 0 })
            .sum();
        assert!(arrived <= 40_000, "seed {seed}: {arrived} bytes at a time");
        network.now += dice.below(100) * MILLI;
        let now = network.time();
        if network.endpoints[SERVER].next_timeout().is_some_and(|at| at <= now) {
            network.endpoints[SERVER].handle_timeout(now);
        }
    }
}

#[test]
fn survives_any_chunks_of_a_peer() {
    let peers = std::env::var("SCTP_FORGERIES").ok().and_then(|text| text.parse().ok());
    (0..peers.unwrap_or(PEERS)).for_each(run);
}
