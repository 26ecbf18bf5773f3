//! A source, and a broker of a few packets.

use super::packets::Packets;
use crate::MqttSource;
use intake::{
    SourceDriver,
    testing::{Setup, source_options},
};
use message::FieldName;
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    time::Duration,
};
use transport::{
    Endpoint,
    mqtt::{MqttLogin, MqttQos, MqttSession},
    testing::{PATIENCE, eventually},
};
use wire::ParseFlags;

const HELLO: &[u8] = b"\x20\x02\0\0";
const HELLO_AGAIN: &[u8] = b"\x20\x02\x01\0";
const SUBSCRIBED: &[u8] = b"\x90\x03\0\x01\x02";

fn source(port: u16, qos: MqttQos) -> SourceDriver {
    SourceDriver::Input(Arc::new(MqttSource {
        server: Endpoint { host: "127.0.0.1".to_owned(), port, tls: None },
        login: MqttLogin { client: "me".to_owned(), keep_alive: 60, ..MqttLogin::default() },
        session: MqttSession::Kept,
        topic: "t/#".to_owned(),
        qos,
        timeout: PATIENCE,
        reopen_after: Duration::from_millis(10),
    }))
}

/// A broker, and a source that reads from it.
struct Played {
    listener: TcpListener,
    setup: Setup,
}

impl Played {
    fn new(qos: MqttQos) -> Played {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut options = source_options();
        options.decode.flags = options.decode.flags.with(ParseFlags::NO_PARSE);
        options.message_bytes_max = 10;
        let setup = Setup::new(|_| source(port, qos), options);
        Played { listener, setup }
    }

    /// Accepts the next connection, greets, and waits for the subscription.
    fn accept(&self, hello: &[u8]) -> TcpStream {
        let (mut peer, _) = self.listener.accept().unwrap();
        peer.set_read_timeout(Some(PATIENCE)).unwrap();
        hears(&mut peer, b"\x10\x0e\0\x04MQTT\x04\0\0\x3c\0\x02me");
        peer.write_all(hello).unwrap();
        let mut subscription = [0; 10];
        peer.read_exact(&mut subscription).unwrap();
        assert_eq!(subscription[..9], *b"\x82\x08\0\x01\0\x03t/#");
        peer.write_all(SUBSCRIBED).unwrap();
        peer
    }

    fn trouble(&self) -> Option<String> {
        self.setup.registry.list().iter().find_map(|counters| counters.trouble())
    }
}

#[track_caller]
fn hears(peer: &mut TcpStream, want: &[u8]) {
    let mut heard = vec![0; want.len()];
    peer.read_exact(&mut heard).unwrap();
    assert_eq!(heard, want);
}

#[test]
fn publications_are_acknowledged_when_they_are_safe() {
    let mut played = Played::new(MqttQos::ExactlyOnce);
    let mut peer = played.accept(HELLO);
    played.setup.collected.hold();
    peer.write_all(b"\x30\x04\0\x01ax\x32\x06\0\x01a\0\x07y\x34\x07\0\x02bc\0\x08z").unwrap();
    assert_eq!(played.setup.collected.wait(3).len(), 3);
    let topics = played.setup.collected.batches(|batches| {
        let name = FieldName::parse("MQTT_TOPIC");
        let places = batches.iter().flat_map(|batch| (0..batch.len()).map(move |index| (batch, index)));
        let topic =
            |(batch, index): (&message::Batch, usize)| batch.field(index, &name).unwrap().into_owned();
        places.map(topic).collect::<Vec<_>>()
    });
    assert_eq!(topics, [&b"a"[..], b"a", b"bc"]);
    played.setup.collected.release();
    hears(&mut peer, b"\x40\x02\0\x07\x50\x02\0\x08");
    peer.write_all(b"\x62\x02\0\x08").unwrap();
    hears(&mut peer, b"\x70\x02\0\x08");
    played.setup.sources.stop(PATIENCE);
    hears(&mut peer, b"\xe0\0");
}

#[test]
fn what_still_waits_is_not_read_again_over_another_connection() {
    let played = Played::new(MqttQos::ExactlyOnce);
    let mut peer = played.accept(HELLO);
    played.setup.collected.hold();
    peer.write_all(b"\x32\x06\0\x01a\0\x07y\x34\x06\0\x01a\0\x08z").unwrap();
    played.setup.collected.wait(2);
    drop(peer);
    let mut peer = played.accept(HELLO_AGAIN);
    peer.write_all(b"\x3a\x06\0\x01a\0\x07y\x3c\x06\0\x01a\0\x08z\x32\x06\0\x01a\0\x09n").unwrap();
    assert_eq!(played.setup.collected.wait(3).len(), 3);
    played.setup.collected.release();
    hears(&mut peer, b"\x40\x02\0\x07\x50\x02\0\x08\x40\x02\0\x09");
    // The broker knows nothing any more: what it sends is new.
    drop(peer);
    let mut peer = played.accept(HELLO);
    peer.write_all(b"\x3c\x06\0\x01a\0\x08z").unwrap();
    hears(&mut peer, b"\x50\x02\0\x08");
    assert_eq!(played.setup.collected.wait(4).len(), 4);
}

/// Compares the trouble after a broker said something.
#[track_caller]
fn check_trouble(said: &[u8], want: &str) {
    let played = Played::new(MqttQos::AtLeastOnce);
    let (mut peer, _) = played.listener.accept().unwrap();
    peer.write_all(said).unwrap();
    eventually("the trouble", || played.trouble().is_some());
    assert_eq!(played.trouble().as_deref(), Some(want));
}

#[test]
fn what_a_broker_refuses_or_breaks_is_said() {
    check_trouble(b"\x20\x02\0\x04", "the broker refuses username() or password()");
    check_trouble(b"\x20\x02\0\x03", "the broker is not available");
    check_trouble(b"\x20\x02\0\0\x90\x03\0\x01\x80", "the broker refuses the subscription to topic(\"t/#\")");
    let breach = |what: &str| format!("the broker breaks its protocol: {what}");
    check_trouble(b"\xd0\0", &breach("it does not answer the login"));
    check_trouble(b"HTTP/1.1 400 Bad Request\r\n\r\n", &breach("a packet is too long"));
    check_trouble(b"\x20\x02\0\0\x40\x02\0\x01", &breach("it answers what was not said"));
    check_trouble(
        b"\x20\x02\0\0\x32\x06\0\x01a\0\x07y\x32\x06\0\x01a\0\x07z",
        &breach("two publications have one number"),
    );
}

/// Splits a stream that arrives in parts of a size, and shows the packets.
#[track_caller]
fn check_packets(stream: &[u8], size: usize, want: &[&str]) {
    let (mut packets, mut received, mut shown) = (Packets::default(), Vec::new(), Vec::new());
    let mut most = 0;
    for part in stream.chunks(size) {
        received.extend_from_slice(part);
        let mut used = 0;
        while let Some((packet, end)) = packets.next(&mut received, used, 20).unwrap() {
            shown.push(format!("{packet:?}"));
            used = end;
        }
        received.drain(..used);
        most = most.max(received.len());
    }
    let short: Vec<&str> =
        shown.iter().map(|text| text.split_once(['(', ' ']).map_or(&text[..], |(a, _)| a)).collect();
    assert_eq!(short, want);
    assert!(most <= 20 + 5, "{most} bytes were kept");
}

#[test]
fn long_publications_are_cut_wherever_the_stream_is() {
    let long = [b"\x30\xac\x02\0\x01a".as_slice(), &[b'x'; 297]].concat();
    let stream = [&long[..], b"\xd0\0", &long, &long, b"\x30\x04\0\x01ab"].concat();
    for size in [1, 2, 7, 19, 20, 21, 64, 299, 302, 303, 304, 5000] {
        check_packets(&stream, size, &["Publication", "Alive", "Publication", "Publication", "Publication"]);
    }
}
