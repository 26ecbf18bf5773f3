//! Routing keys, headers and bodies of messages, and what a configuration says about them.

use super::*;
use crate::{
    amqp::options::{AmqpExchange, Unroutable},
    link::Endpoint,
    testing::{Long, Timed, closed_port, row, runtime, shown},
};
use delivery::{RequestLimits, Row};
use message::{RecordId, Render, RenderPairs};
use std::time::Duration;
use transport::amqp::{AmqpLogin, Durability, frame::Values};
use transport::testing::Text;

/// The host of each message under these names.
struct Hosts(Vec<String>);

impl RenderPairs for Hosts {
    fn begin(&mut self, _: Stamp) {}

    fn pairs(&mut self, batch: &Batch, index: usize, _: u64, add: &mut dyn FnMut(&str, &[u8])) {
        for name in &self.0 {
            add(name, batch.fixed(index, message::Field::Host));
        }
    }
}

fn target(routing_key: Box<dyn Render>, body: Box<dyn Render>, headers: &[&str]) -> AmqpTarget {
    AmqpTarget {
        server: Endpoint { host: "127.0.0.1".to_owned(), port: closed_port(), tls: None },
        vhost: "/".to_owned(),
        login: AmqpLogin::Plain { user: "me".to_owned(), password: "p".to_owned() },
        exchange: AmqpExchange { name: "logs".to_owned(), declared_as: None },
        routing_key,
        body,
        headers: Box::new(Hosts(headers.iter().map(|name| (*name).to_owned()).collect())),
        durability: Durability::Persistent,
        unroutable: Unroutable::Dead,
        frame_bytes: 131_072,
        heartbeat: 60,
        timeout: Duration::from_secs(2),
        batches: Batches {
            lines: 5,
            bytes: 77,
            wait: Some(Duration::from_secs(3)),
            workers: 2,
            retries: Some(4),
        },
    }
}

#[test]
fn a_row_is_a_routing_key_headers_and_a_body() {
    let mut receiver = AmqpReceiver::new(target(Text::boxed("k"), Text::boxed("<$MSG>"), &["H"]));
    assert_eq!(row(&mut receiver, "h|a b"), "logs: k, \u{1}HS\0\0\0\u{1}h, <a b>");
    let timed = target(Box::<Timed>::default(), Box::<Timed>::default(), &[]);
    assert_eq!(row(&mut AmqpReceiver::new(timed), "h|"), "logs: t77n9, , t77n9");
    let mut receiver = AmqpReceiver::new(target(Text::boxed(""), Text::boxed(""), &[]));
    receiver.target.exchange.name.clear();
    assert_eq!(row(&mut receiver, "h|"), "the default exchange: , , ");
}

#[test]
fn names_that_the_protocol_cannot_hold_are_dead_letters() {
    let check = |key: &str, header: &str, want: &str| {
        let mut receiver = AmqpReceiver::new(target(Text::boxed(key), Text::boxed("$MSG"), &[header]));
        assert_eq!(row(&mut receiver, "h|x\0y"), want);
    };
    let (longest, longer) = ("k".repeat(255), "k".repeat(256));
    check(&longest, "a", &format!("logs: {longest}, \u{1}aS\0\0\0\u{1}h, x\0y"));
    let shown = "k".repeat(40);
    let words = "has 256 bytes; AMQP takes 255";
    check(&longer, "a", &format!("BadName: the routing key {words}\n{shown}"));
    check("k", &longer, &format!("BadName: the name of a header {words}\n{shown}"));
    check("$MSG", "a", "BadName: the routing key has a NUL\nx\0y");
    check("k", "a\0", "BadName: the name of a header has a NUL\na\0");
    assert_eq!(fault_of(b"\xff", "x").map(|fault| fault.text), Some("x is not UTF-8\n\u{fffd}".to_owned()));
}

#[test]
fn a_body_has_a_longest_length() {
    let mut receiver = AmqpReceiver::new(target(Text::boxed("k"), Box::new(Long(BODY_BYTES_MAX)), &[]));
    assert_eq!(row(&mut receiver, "h|"), "logs: k, , long");
    let mut receiver = AmqpReceiver::new(target(Text::boxed("k"), Box::new(Long(BODY_BYTES_MAX + 1)), &[]));
    assert_eq!(row(&mut receiver, "h|"), "TooLarge: the body has more than 67108864 bytes");
}

#[test]
fn headers_are_entries_of_a_table() {
    let mut receiver = AmqpReceiver::new(target(Text::boxed("k"), Text::boxed(""), &["A", "BC"]));
    let batch = transport::testing::batch(&["host|"]);
    let entries = receiver.headers(&batch, 0, 1).expect("names that fit");
    let (mut values, mut found) = (Values(&entries), Vec::new());
    while !values.0.is_empty() {
        let name = values.short_text().expect("a name");
        assert_eq!(values.octet().expect("a type"), b'S');
        found.push((name, values.long_text().expect("a value")));
    }
    assert_eq!(found, [(&b"A"[..], &b"host"[..]), (b"BC", b"host")]);
}

#[test]
fn the_configuration_is_kept() {
    let mut receiver = AmqpReceiver::new(target(Text::boxed("key"), Text::boxed("$MSG"), &[]));
    let limits = RequestLimits { rows: 5, bytes: 77, wait: Some(Duration::from_secs(3)) };
    assert_eq!((receiver.limits(), receiver.workers(), receiver.batches().retries), (limits, 2, Some(4)));
    let port = receiver.target.server.port;
    assert_eq!(receiver.instance(), format!("amqp,/,127.0.0.1,{port},logs"));
    let settings = receiver.settings();
    assert!(settings[0].ends_with(" key") && settings[1].contains("me"), "{settings:?}");
    assert_eq!(settings[2..], ["Persistent Dead", "131072 60", "2s 2 Some(4)"]);
    let cells = [Cell::Bytes(b"key".to_vec()), Cell::Bytes(Vec::new()), Cell::Bytes(b"\xffv".to_vec())];
    assert_eq!(receiver.describe("logs", &cells), "amqp logs key: \u{fffd}v");
    assert_eq!(receiver.describe("logs", &[]), receiver.instance());
    receiver.target.batches.lines = 0;
    receiver.target.batches.workers = 0;
    assert_eq!((receiver.limits().rows, receiver.workers()), (1, 1));
}

#[test]
fn its_connection_goes_to_the_broker() {
    let receiver = AmqpReceiver::new(target(Text::boxed("k"), Text::boxed("x"), &[]));
    let rows = [Row { id: RecordId { incarnation: 1, sequence: 1 }, cells: Vec::new() }];
    let judged = shown(&runtime().block_on(receiver.connection().send("t", &rows)));
    assert!(judged.starts_with("1 Later(Reopen) Connection refused"), "{judged}");
}
