//! Handshakes, ends, strangers and forgeries.

use super::link::LinkOptions;
use super::network::{CLIENT, Network, SERVER, peer};
use crate::codec::{Causes, Chunk, Packet, PacketBuilder, Sack};
use crate::{AssociationId, DownReason, Event, Message, Options, Peer, Policy, Time};
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;

fn clean() -> LinkOptions {
    LinkOptions::new(10e6, 40_000_000, 0.0)
}

fn network(options: &Options) -> Network {
    Network::new(options, clean(), clean(), 1)
}

fn message(payload: Vec<u8>) -> Message {
    Message { stream: 0, unordered: false, protocol: 5, policy: Policy::default(), payload }
}

fn show(events: &[(AssociationId, Event)]) -> String {
    let words = events.iter().map(|(_, event)| match event {
        Event::Received(message) => format!("Received({})", message.payload.len()),
        other => format!("{other:?}"),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Makes an association.
fn up(network: &mut Network) -> [AssociationId; 2] {
    let id = network.connect();
    let until = network.now + SECOND;
    let [client, server] = network.run(until);
    assert_eq!((show(&client), show(&server)), ("Up".into(), "Up".into()));
    [id, server[0].0]
}

#[track_caller]
fn check(network: &mut Network, client: &str, server: &str) {
    let until = network.now + 3 * SECOND;
    let [of_client, of_server] = network.run(until);
    assert_eq!((show(&of_client).as_str(), show(&of_server).as_str()), (client, server));
}

#[test]
fn carries_messages_both_ways_and_ends() {
    for interleaves in [false, true] {
        let mut network = network(&Options { interleaves, ..Options::default() });
        let [client, server] = up(&mut network);
        let now = network.time();
        network.endpoints[CLIENT].send(now, client, message(vec![1; 10])).unwrap();
        network.endpoints[CLIENT].send(now, client, message(vec![2; 100_000])).unwrap();
        network.endpoints[SERVER].send(now, server, message(vec![3; 30])).unwrap();
        network.endpoints[CLIENT].shut_down(now, client);
        let [of_client, of_server] = network.run(20 * SECOND);
        let words = |events: &[(AssociationId, Event)]| {
            let mut words: Vec<String> = show(events).split(' ').map(str::to_owned).collect();
            words.sort_unstable();
            words.join(" ")
        };
        assert_eq!(words(&of_server), "Delivered(MessageId(0)) Down(Shutdown) Received(10) Received(100000)");
        let want = "Delivered(MessageId(0)) Delivered(MessageId(1)) Down(Shutdown) Received(30)";
        assert_eq!(words(&of_client), want);
        assert_eq!(network.endpoints.each_ref().map(|endpoint| endpoint.associations()), [0, 0]);
        assert_eq!(network.next(), None, "timers are left");
    }
}

#[test]
fn begins_from_both_sides_at_once() {
    let options = Options { listens: true, ..Options::default() };
    let mut network = network(&options);
    let now = network.time();
    network.endpoints[CLIENT].connect(now, peer(SERVER)).unwrap();
    network.endpoints[SERVER].connect(now, peer(CLIENT)).unwrap();
    check(&mut network, "Up", "Up");
    assert_eq!(network.endpoints.each_ref().map(|endpoint| endpoint.associations()), [1, 1]);
}

#[test]
fn notices_a_peer_that_begins_again() {
    let mut network = network(&Options::default());
    up(&mut network);
    network.restart(CLIENT);
    let id = network.connect();
    check(&mut network, "Up", "Restarted");
    let now = network.time();
    network.endpoints[CLIENT].send(now, id, message(vec![1; 10])).unwrap();
    check(&mut network, "Delivered(MessageId(0))", "Received(10)");
    // A server that has lost its state says so as soon as something comes for it.
    network.restart(SERVER);
    network.endpoints[CLIENT].send(network.time(), id, message(vec![1; 10])).unwrap();
    check(&mut network, "Down(AbortedByPeer(None))", "");
}

#[test]
fn gives_up_a_peer_that_is_silent() {
    let mut network = network(&Options { silence_max: Duration::from_secs(2), ..Options::default() });
    network.restart(SERVER);
    network.links[CLIENT] = super::link::Link::new(LinkOptions { loss: 1.0, ..clean() }, 1);
    network.connect();
    check(&mut network, "Down(Silence)", "");
}

#[test]
fn keeps_no_state_before_the_cookie() {
    let mut network = network(&Options::default());
    let mut answers = 0;
    for number in 0..10_000u32 {
        let mut packet = PacketBuilder::new(9899, 9899, 0, 1200);
        packet.push(&Chunk::Init(crate::codec::Init {
            tag: number + 1,
            window: 5000,
            outbound_streams: 1,
            inbound_streams: 1,
            tsn: number,
            parameters: crate::codec::Parameters::default(),
        }));
        let (question, from) = (packet.finish(), Peer { port: 9899, ..peer(CLIENT) });
        network.endpoints[SERVER].receive(Time::from_nanos(1), from.address, &question);
        if let Some(answer) = network.endpoints[SERVER].poll_transmit(Time::from_nanos(1)) {
            answers += 1;
            assert!(answer.datagram.len() + 28 <= 3 * (question.len() + 28), "{}", answer.datagram.len());
        }
    }
    assert_eq!((answers, network.endpoints[SERVER].associations()), (10_000, 0));
    assert_eq!(network.endpoints[SERVER].next_timeout(), None);
}

/// Sends chunks to the server, from the client's address, with a tag.
fn forge(network: &mut Network, tag: u32, chunks: &[Chunk<'_>]) {
    let mut packet = PacketBuilder::new(9899, 9899, tag, 1200);
    chunks.iter().for_each(|chunk| packet.push(chunk));
    let now = network.time();
    network.endpoints[SERVER].receive(now, peer(CLIENT).address, &packet.finish());
}

/// Returns the tag that the server wants, from the next packet to it.
fn tag_of(network: &mut Network, client: AssociationId) -> u32 {
    let now = network.time();
    network.endpoints[CLIENT].send(now, client, message(vec![9])).unwrap();
    let sent = network.endpoints[CLIENT].poll_transmit(now).unwrap();
    let tag = Packet::parse(&sent.datagram).unwrap().tag;
    network.endpoints[SERVER].receive(now, peer(CLIENT).address, &sent.datagram);
    tag
}

#[test]
fn survives_forgeries_from_off_the_path() {
    let mut network = network(&Options::default());
    let [client, _] = up(&mut network);
    let abort = |reflected| Chunk::Abort { reflected, causes: Causes::default() };
    for tag in [0, 1, 0xffff_ffff] {
        for reflected in [false, true] {
            forge(&mut network, tag, &[abort(reflected)]);
            forge(&mut network, tag, &[Chunk::ShutdownComplete { reflected }]);
        }
        forge(&mut network, tag, &[Chunk::Shutdown(1), Chunk::ShutdownAck]);
        forge(&mut network, tag, &[Chunk::CookieEcho(&[0; 77])]);
    }
    assert_eq!(network.endpoints[SERVER].counters().forged_cookies, 3);
    network.endpoints[CLIENT].send(network.time(), client, message(vec![1])).unwrap();
    check(&mut network, "Delivered(MessageId(0))", "Received(1)");
}

#[test]
fn ends_with_a_peer_that_acknowledges_too_much() {
    let far = |cumulative, gaps| Chunk::Sack(Sack { cumulative, window: 9, gaps, duplicates: Vec::new() });
    let gap = crate::codec::GapBlock { start: 2, end: 60_000 };
    let mut network = network(&Options::default());
    let [client, server] = up(&mut network);
    let tag = tag_of(&mut network, client);
    let until = network.now + SECOND;
    network.run(until);
    // An old one is nothing; the server has sent nothing, so every block is a lie.
    forge(&mut network, tag, &[Chunk::HeartbeatAck(&[0; 8]), Chunk::Heartbeat(&[1; 900])]);
    check(&mut network, "", "");
    network.endpoints[SERVER].send(network.time(), server, message(vec![1])).unwrap();
    check(&mut network, "Received(1)", "Delivered(MessageId(0))");
    let lies: Vec<Chunk<'_>> = (0..16u32).map(|part| far(part << 28, vec![gap; 50])).collect();
    for lie in lies {
        forge(&mut network, tag, &[lie]);
    }
    let until = network.now + SECOND;
    let [of_client, of_server] = network.run(until);
    assert_eq!(show(&of_server), "Down(Violation)");
    assert_eq!(of_client[0].1, Event::Down(DownReason::AbortedByPeer(Some(13))));
}
