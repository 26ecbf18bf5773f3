//! Topics and texts of messages, and what a configuration says about them.

use super::*;
use crate::{
    link::Endpoint,
    testing::{Long, Timed, closed_port, row, runtime, sent_and_closed, shown},
};
use delivery::{RequestLimits, Row};
use message::{RecordId, Render};
use std::{net::TcpListener, time::Duration};
use transport::{
    mqtt::{MqttLogin, MqttQos},
    testing::Text,
};

fn target(topic: Box<dyn Render>, text: Box<dyn Render>) -> MqttTarget {
    MqttTarget {
        server: Endpoint { host: "127.0.0.1".to_owned(), port: closed_port(), tls: None },
        login: MqttLogin { client: "me".to_owned(), ..MqttLogin::default() },
        topic,
        fallback_topic: None,
        text,
        qos: MqttQos::AtLeastOnce,
        timeout: Duration::from_secs(2),
        batches: Batches {
            lines: 5,
            bytes: 77,
            wait: Some(Duration::from_secs(3)),
            workers: 1,
            retries: Some(4),
        },
    }
}

#[test]
fn a_row_is_a_topic_and_a_text() {
    let mut receiver = MqttReceiver::new(target(Text::boxed("logs/x"), Text::boxed("<$MSG>")));
    assert_eq!(row(&mut receiver, "h|a b"), "logs/x: logs/x, <a b>");
    let mut receiver = MqttReceiver::new(target(Box::<Timed>::default(), Box::<Timed>::default()));
    assert_eq!(row(&mut receiver, "h|"), "topics: t77n9, t77n9");
    let mut receiver = MqttReceiver::new(target(Text::boxed("$HOST"), Text::boxed("$MSG")));
    assert_eq!(row(&mut receiver, "h|a"), "topics: h, a");
    assert!(row(&mut receiver, "#|a").starts_with("BadName: "));
    receiver.target.fallback_topic = Some("others".to_owned());
    assert_eq!(row(&mut receiver, "#|a"), "topics: others, a");
}

#[test]
fn a_text_has_a_longest_length() {
    let mut receiver = MqttReceiver::new(target(Text::boxed("t"), Box::new(Long(TEXT_BYTES_MAX))));
    assert_eq!(row(&mut receiver, "h|"), "t: t, long");
    let mut receiver = MqttReceiver::new(target(Text::boxed("t"), Box::new(Long(TEXT_BYTES_MAX + 1))));
    assert_eq!(row(&mut receiver, "h|"), "TooLarge: the text has more than 67108864 bytes");
}

#[test]
fn the_configuration_is_kept() {
    let mut receiver = MqttReceiver::new(target(Text::boxed("logs"), Text::boxed("$MSG")));
    let limits = RequestLimits { rows: 5, bytes: 77, wait: Some(Duration::from_secs(3)) };
    assert_eq!((receiver.limits(), receiver.workers(), receiver.batches().retries), (limits, 1, Some(4)));
    let port = receiver.target.server.port;
    assert_eq!(receiver.instance(), format!("mqtt,127.0.0.1,{port},logs"));
    let settings = receiver.settings();
    assert_eq!((settings[0].as_str(), settings[2].as_str()), ("AtLeastOnce None", "2s Some(4)"));
    assert!(settings[1].contains("me"), "{settings:?}");
    let cells = [Cell::Bytes(b"logs".to_vec()), Cell::Bytes(b"\xffv".to_vec())];
    assert_eq!(receiver.describe("logs", &cells), "mqtt logs: \u{fffd}v");
    receiver.target.batches.lines = 0;
    receiver.target.topic = Text::boxed("$HOST");
    assert_eq!(receiver.limits().rows, 1);
    assert_eq!(receiver.instance(), format!("mqtt,127.0.0.1,{port},a template"));
    assert_eq!(receiver.describe("logs", &[]), receiver.instance());
}

#[test]
fn its_connection_goes_to_the_broker() {
    let receiver = MqttReceiver::new(target(Text::boxed("t"), Text::boxed("x")));
    let rows = [Row { id: RecordId { incarnation: 1, sequence: 1 }, cells: Vec::new() }];
    let judged = shown(&runtime().block_on(receiver.connection().send("t", &rows)));
    assert!(judged.starts_with("1 Later(Reopen) Connection refused"), "{judged}");
}

#[test]
fn its_connection_is_used_until_it_is_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut target = target(Text::boxed("t"), Text::boxed("x"));
    target.server.port = listener.local_addr().unwrap().port();
    let cells = vec![Cell::Bytes(b"t".to_vec()), Cell::Bytes(b"x".to_vec())];
    let rows = [Row { id: RecordId { incarnation: 1, sequence: 1 }, cells }];
    let mut connection = MqttReceiver::new(target).connection();
    let says: [&[u8]; 2] = [b"\x20\x02\0\0", b"\x40\x02\0\x01"];
    let found = sent_and_closed(listener, &says, &mut *connection, ("t", &rows));
    assert_eq!(found, ("1 Delivered ".to_owned(), true));
}
