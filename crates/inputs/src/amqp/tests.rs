//! Messages in frames, deliveries that come again, logins, and a broker of a few frames.

use super::{contents::Contents, tags::Tags};
use crate::{AmqpBinding, AmqpQueue, AmqpSource, Metadata};
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
    amqp::{AmqpLogin, Delivery, frame},
    testing::{PATIENCE, eventually},
};
use wire::ParseFlags;

const QUEUE: (u16, u16) = (50, 11);

fn delivery(tag: u64) -> Delivery<'static> {
    Delivery { tag, is_repeated: false, exchange: b"e", routing_key: b"k" }
}

/// The payload of a header without properties.
fn header(bytes: u64) -> Vec<u8> {
    [b"\0\x3c\0\0".as_slice(), &bytes.to_be_bytes(), b"\0\0"].concat()
}

#[test]
fn a_message_is_whole_with_its_last_part() {
    let mut contents = Contents::default();
    contents.begin(&delivery(1)).unwrap();
    assert!(contents.begin(&delivery(2)).is_err() && contents.is_open());
    assert!(contents.part(b"x", 9).is_err(), "the header comes first");
    assert!(contents.header(&header(9)).unwrap().is_none());
    assert!(contents.header(&header(9)).is_err());
    assert!(contents.part(b"abcd", 6).unwrap().is_none());
    let whole = contents.part(b"efghi", 6).unwrap().unwrap();
    assert_eq!((whole.tag, whole.text.as_slice()), (1, &b"abcdef"[..]));
    contents.begin(&delivery(3)).unwrap();
    assert!(contents.header(&header(0)).unwrap().unwrap().text.is_empty());
    contents.begin(&delivery(4)).unwrap();
    contents.header(&header(1)).unwrap();
    assert_eq!(contents.part(b"ab", 9).err().map(|breach| breach.0), Some("a text is longer than it says"));
    assert!(Contents::default().header(b"\0\x3c").is_err());
}

#[test]
fn what_comes_again_has_the_key_of_the_same_content() {
    let mut tags = Tags::default();
    let keys: Vec<u64> = (0..3).map(|_| tags.next_key()).collect();
    tags.add(keys[0], 1, 77);
    tags.add(keys[1], 2, 77);
    tags.add(keys[2], 3, 88);
    assert_eq!(tags.take_known(77), None, "they came over this connection");
    assert_eq!((tags.take(keys[0]), tags.take(keys[0])), (Some(1), None));
    tags.begin();
    assert_eq!(tags.take(keys[1]), None, "its tag is of no use any more");
    assert_eq!((tags.take_known(77), tags.take_known(77)), (Some(keys[1]), None));
    tags.add(keys[1], 1, 77);
    tags.begin();
    tags.begin();
    assert_eq!((tags.take_known(77), tags.take_known(88)), (Some(keys[1]), Some(keys[2])));
}

fn source(port: u16, queue: AmqpQueue) -> SourceDriver {
    SourceDriver::Input(Arc::new(AmqpSource {
        server: Endpoint { host: "127.0.0.1".to_owned(), port, tls: None },
        vhost: "/".to_owned(),
        login: AmqpLogin::Plain { user: "me".to_owned(), password: "secret".to_owned() },
        queue,
        prefetch: 9,
        deliveries_max: Some(3),
        metadata: Metadata::Stored,
        frame_bytes: 4096,
        heartbeat: 0,
        timeout: PATIENCE,
        reopen_after: Duration::from_millis(10),
    }))
}

/// A broker, and a source that reads from it.
struct Played {
    listener: TcpListener,
    setup: Setup,
}

/// The end of a broker.
struct Peer(TcpStream);

impl Played {
    fn new(queue: AmqpQueue) -> Played {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut options = source_options();
        options.decode.flags = options.decode.flags.with(ParseFlags::NO_PARSE);
        let setup = Setup::new(|_| source(port, queue), options);
        Played { listener, setup }
    }

    /// Accepts the next connection, up to its channel.
    fn accept(&self) -> Peer {
        let (mut peer, _) = self.listener.accept().unwrap();
        peer.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut head = [0; 8];
        peer.read_exact(&mut head).unwrap();
        assert_eq!(head, *b"AMQP\0\0\x09\x01");
        let mut peer = Peer(peer);
        peer.say(0, (10, 10), b"\0\x09\0\0\0\0\0\0\0\x0eAMQPLAIN PLAIN\0\0\0\x05en_US");
        peer.hears((10, 11));
        peer.say(0, (10, 30), b"\x07\xff\0\x02\0\0\0\x3c");
        assert_eq!(peer.hears((10, 31)), b"\0\x01\0\0\x10\0\0\0");
        peer.hears((10, 40));
        peer.say(0, (10, 41), b"\0");
        peer.hears((20, 10));
        peer
    }

    /// The same, up to a queue that is read.
    fn serve(&self) -> Peer {
        let mut peer = self.accept();
        peer.say(1, (20, 11), b"\0\0\0\0");
        assert_eq!(peer.hears((50, 10)), b"\0\0\x01q\x01\0\0\0\0");
        peer.say(1, QUEUE, b"\x01q\0\0\0\0\0\0\0\0");
        peer.consumes();
        peer
    }

    fn trouble(&self) -> Option<String> {
        self.setup.registry.list().iter().find_map(|counters| counters.trouble())
    }
}

impl Peer {
    fn say(&mut self, channel: u16, kind: (u16, u16), arguments: &[u8]) {
        let mut out = Vec::new();
        frame::method(channel, kind, &mut out, |out| out.extend_from_slice(arguments));
        self.0.write_all(&out).unwrap();
    }

    /// Reads a method, and returns its arguments.
    #[track_caller]
    fn hears(&mut self, kind: (u16, u16)) -> Vec<u8> {
        let mut head = [0; 11];
        self.0.read_exact(&mut head).unwrap();
        let number = |place: usize| u16::from_be_bytes([head[place], head[place + 1]]);
        assert_eq!((number(7), number(9)), kind);
        let mut rest = vec![0; usize::from(number(5)) - 4 + 1];
        self.0.read_exact(&mut rest).unwrap();
        rest.pop();
        rest
    }

    fn consumes(&mut self) {
        assert_eq!(self.hears((60, 10)), b"\0\0\0\0\0\x09\0");
        self.say(1, (60, 11), b"");
        self.hears((60, 20));
        self.say(1, (60, 21), b"\x01c");
    }

    /// Delivers a text, for the first time or again.
    fn delivers(&mut self, tag: u8, again: u8, text: &[u8]) {
        self.delivers_with(tag, again, b"\0\0", text);
    }

    fn delivers_with(&mut self, tag: u8, again: u8, properties: &[u8], text: &[u8]) {
        let arguments = [b"\x01c\0\0\0\0\0\0\0".as_slice(), &[tag, again], b"\x01e\x02rk"].concat();
        self.say(1, (60, 60), &arguments);
        let mut out = Vec::new();
        frame::content(1, 60, properties, text, 4096, &mut out);
        self.0.write_all(&out).unwrap();
    }
}

fn expected() -> AmqpQueue {
    AmqpQueue::Expected("q".to_owned())
}

#[test]
fn messages_are_acknowledged_when_they_are_safe() {
    let mut played = Played::new(expected());
    let mut peer = played.serve();
    played.setup.collected.hold();
    peer.delivers(1, 0, b"one");
    peer.delivers(2, 0, b"two");
    assert_eq!(played.setup.collected.wait(2).len(), 2);
    let keys = played.setup.collected.batches(|batches| {
        let name = FieldName::parse(".amqp.routing-key");
        batches.iter().map(|batch| batch.field(0, &name).unwrap().into_owned()).collect::<Vec<_>>()
    });
    assert_eq!(keys[0], b"rk");
    // The connection ends: what waits is acknowledged over the next one, and not read again.
    drop(peer);
    let mut peer = played.serve();
    peer.delivers(1, 1, b"two");
    peer.delivers(2, 1, b"one");
    peer.delivers(3, 1, b"one");
    assert_eq!(played.setup.collected.wait(3).len(), 3);
    played.setup.collected.release();
    let mut acknowledged = 0;
    while acknowledged < 3 {
        let ack = peer.hears((60, 80));
        acknowledged = ack[7];
    }
    played.setup.sources.stop(PATIENCE);
    assert_eq!(peer.hears((10, 50)), b"\0\xc8\0\0\0\0\0");
}

#[test]
fn what_came_back_too_often_is_rejected() {
    let played = Played::new(expected());
    let mut peer = played.serve();
    let properties =
        |count: u8| [b"\x20\0\0\0\0\x1a\x10x-delivery-countl\0\0\0\0\0\0\0".as_slice(), &[count]].concat();
    peer.delivers_with(1, 1, &properties(3), b"poison");
    assert_eq!(peer.hears((60, 90)), b"\0\0\0\0\0\0\0\x01\0");
    peer.delivers_with(2, 1, &properties(2), b"good");
    assert_eq!(peer.hears((60, 80)), b"\0\0\0\0\0\0\0\x02\0");
    assert_eq!(played.setup.collected.wait(1).len(), 1);
}

#[test]
fn a_missing_queue_is_made_and_bound() {
    let binding = AmqpBinding { exchange: "x".to_owned(), routing_key: "a.#".to_owned() };
    let played = Played::new(AmqpQueue::Made("q".to_owned(), Some(binding)));
    let mut peer = played.accept();
    peer.say(1, (20, 11), b"\0\0\0\0");
    peer.hears((50, 10));
    peer.say(1, (20, 40), b"\x01\x94\x02no\0\x32\0\x0a");
    peer.hears((20, 41));
    peer.hears((20, 10));
    peer.say(1, (20, 11), b"\0\0\0\0");
    assert_eq!(peer.hears((50, 10)), b"\0\0\x01q\x02\0\0\0\0");
    peer.say(1, QUEUE, b"\x01q\0\0\0\0\0\0\0\0");
    assert_eq!(peer.hears((50, 20)), b"\0\0\x01q\x01x\x03a.#\0\0\0\0\0");
    peer.say(1, (50, 21), b"");
    peer.consumes();
    peer.delivers(1, 0, b"one");
    assert_eq!(played.setup.collected.wait(1).len(), 1);
}

/// Compares the trouble after a broker said something to one who reads.
#[track_caller]
fn check_trouble(channel: u16, kind: (u16, u16), arguments: &[u8], want: &str) {
    let played = Played::new(expected());
    let mut peer = played.serve();
    peer.say(channel, kind, arguments);
    eventually("the trouble", || played.trouble().is_some());
    assert_eq!(played.trouble().as_deref(), Some(want));
}

#[test]
fn what_a_broker_refuses_or_ends_is_said() {
    check_trouble(1, (60, 30), b"\x01c\0", "the broker ended the reading of queue 'q': was it deleted?");
    check_trouble(1, (20, 40), b"\x01\x94\x02no\0\x32\0\x0a", "queue 'q': 404 no");
    check_trouble(1, (20, 40), b"\x01\x96\x04late\0\0\0\0", "queue 'q': 406 late");
    check_trouble(0, (10, 50), b"\x01\x40\x03end\0\0\0\0", "320 end");
    let breach = |what: &str| format!("the broker breaks its protocol: {what}");
    check_trouble(1, (60, 80), b"\0\0\0\0\0\0\0\x02\0", &breach("it answers what was not asked"));
    check_trouble(1, (60, 60), b"\x01c\0", &breach("a frame is too short"));
}
