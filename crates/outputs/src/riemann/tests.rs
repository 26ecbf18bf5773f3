//! Events of messages, and exchanges with a server of a few answers.

use super::{
    options::{EventTags, EventTime, MetricKind, RiemannTarget, RiemannWire, UnfitMetric},
    receiver::RiemannReceiver,
};
use crate::{
    link::Endpoint,
    testing::{Long, closed_port, row, runtime, sent_and_closed, shown},
};
use delivery::{Batches, Cell, Receiver, Row};
use message::{Batch, RecordId, RenderPairs, Stamp};
use std::{
    net::{TcpListener, UdpSocket},
    time::Duration,
};
use transport::{testing::Text, tls::SenderTls};

/// Gives two attributes, one of which is a field.
struct Pairs;

impl RenderPairs for Pairs {
    fn begin(&mut self, _: Stamp) {}

    fn pairs(&mut self, _: &Batch, _: usize, _: u64, add: &mut dyn FnMut(&str, &[u8])) {
        add("host", b"other");
        add("k", b"v");
    }
}

fn target(port: u16, metric: &str, wire: RiemannWire) -> RiemannTarget {
    RiemannTarget {
        server: Endpoint { host: "127.0.0.1".to_owned(), port, tls: None::<SenderTls> },
        wire,
        host: Text::boxed("$HOST"),
        service: Text::boxed("s"),
        time: (Text::boxed("5"), EventTime::Seconds),
        state: None,
        description: Some(Text::boxed("")),
        ttl: Some(Text::boxed("2")),
        metric: Some((Text::boxed(metric), MetricKind::Integer)),
        tags: EventTags::Fixed(vec!["t".to_owned()]),
        attributes: Some(Box::new(Pairs)),
        unfit: UnfitMetric::Dead,
        timeout: Duration::from_millis(200),
        batches: Batches { lines: 5, bytes: 77, wait: None, workers: 1, retries: Some(4) },
    }
}

fn stream(metric: &str) -> RiemannTarget {
    target(closed_port(), metric, RiemannWire::Stream)
}

const HEAD: &str = "\u{8}\u{5}\"\u{1}h\u{1a}\u{1}sE\0\0\0@";
const TAIL: &str = ":\u{1}tJ\u{6}\n\u{1}k\u{12}\u{1}v";

#[test]
fn a_row_is_an_event() {
    let check = |target: RiemannTarget, message: &str, want: String| {
        assert_eq!(row(&mut RiemannReceiver::new(target), message), want);
    };
    check(stream("$MSG"), "h|3", format!("127.0.0.1: {HEAD}h\u{6}{TAIL}"));
    check(stream("$MSG"), "h|x", "Cast: the metric is no number".to_owned());
    check(stream(""), "h|x", format!("127.0.0.1: {HEAD}{TAIL}"));
    check(
        RiemannTarget { unfit: UnfitMetric::LeftOut, ..stream("$MSG") },
        "h|x",
        format!("127.0.0.1: {HEAD}{TAIL}"),
    );
    check(
        RiemannTarget { ttl: Some(Text::boxed("inf")), ..stream("") },
        "h|x",
        "Cast: the ttl is no number".to_owned(),
    );
    check(
        RiemannTarget {
            time: (Text::boxed("5000001"), EventTime::Microseconds),
            ttl: None,
            metric: None,
            ..stream("")
        },
        "h|x",
        format!("127.0.0.1: P\u{fffd}\u{fffd}\u{fffd}\u{2}\"\u{1}h\u{1a}\u{1}s{TAIL}"),
    );
    let long = |size, wire| RiemannTarget { state: Some(Box::new(Long(size))), ..target(1, "", wire) };
    check(
        long((16 << 20) + 1, RiemannWire::Stream),
        "h|x",
        "TooLarge: the event has more than 16777216 bytes".to_owned(),
    );
    check(
        long(16_384, RiemannWire::Datagrams),
        "h|x",
        "TooLarge: the event has more than 16376 bytes".to_owned(),
    );
}

fn rows(count: u64) -> Vec<Row> {
    let id = |sequence| RecordId { incarnation: 1, sequence };
    (0..count).map(|sequence| Row { id: id(sequence), cells: vec![Cell::Bytes(b"e".to_vec())] }).collect()
}

#[track_caller]
fn check(says: &[u8], want: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let mut connection = RiemannReceiver::new(target(port, "", RiemannWire::Stream)).connection();
    let (found, _) = sent_and_closed(listener, &[says], &mut *connection, ("x", &rows(3)));
    assert_eq!(found, want);
}

#[test]
fn an_answer_is_about_all_events_of_a_message() {
    check(b"\0\0\0\x02\x10\x01", "3 Delivered ");
    check(b"\0\0\0\x06\x10\0\x1a\x02no", "3 Split(Rejected) no");
    check(
        b"HTTP/1.1",
        "3 Later(Busy) the server breaks its protocol: its answer is too long, or this is no server of Riemann",
    );
    check(b"\0\0\0\x02\x10", "3 Later(Busy) the server did not answer within 0.2 seconds");
    // The answer counts; what follows it ends the connection.
    check(b"\0\0\0\x02\x10\x01x", "3 Delivered ");
}

#[test]
fn a_datagram_has_one_event() {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.set_read_timeout(Some(Duration::from_secs(2))).expect("a time");
    let receiver = RiemannReceiver::new(target(
        socket.local_addr().expect("an address").port(),
        "",
        RiemannWire::Datagrams,
    ));
    assert_eq!(shown(&runtime().block_on(receiver.connection().send("x", &rows(2)))), "2 Delivered ");
    for _ in 0..2 {
        let mut found = [0; 10];
        let size = socket.recv(&mut found).expect("a datagram");
        assert_eq!(&found[..size], b"2\x01e");
    }
    assert!(receiver.instance().starts_with("riemann,127.0.0.1,"));
}

#[test]
fn its_connection_goes_to_the_server() {
    let receiver = RiemannReceiver::new(stream(""));
    let judged = shown(&runtime().block_on(receiver.connection().send("x", &rows(1))));
    assert!(judged.starts_with("1 Later(Reopen) Connection refused"), "{judged}");
    assert_eq!((receiver.batches().lines, receiver.batches().retries), (5, Some(4)));
}
