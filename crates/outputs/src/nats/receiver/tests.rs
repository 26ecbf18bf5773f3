//! Subjects and texts of messages, and what a configuration says about them.

use super::*;
use crate::{
    link::Endpoint,
    nats::options::NatsStorage,
    testing::{Long, Timed, closed_port, row, runtime, shown},
};
use delivery::{RequestLimits, Row};
use message::{RecordId, Render};
use std::time::Duration;
use transport::{nats::NatsLogin, testing::Text};

fn target(subject: Box<dyn Render>, text: Box<dyn Render>) -> NatsTarget {
    NatsTarget {
        server: Endpoint { host: "127.0.0.1".to_owned(), port: closed_port(), tls: None },
        login: NatsLogin { user: Some("me".to_owned()), ..NatsLogin::default() },
        subject,
        text,
        storage: NatsStorage::Stream,
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
fn a_row_is_a_subject_and_a_text() {
    let mut receiver = NatsReceiver::new(target(Text::boxed("logs.x"), Text::boxed("<$MSG>")));
    assert_eq!(row(&mut receiver, "h|a b"), "logs.x: logs.x, <a b>");
    let mut receiver = NatsReceiver::new(target(Box::<Timed>::default(), Box::<Timed>::default()));
    assert_eq!(row(&mut receiver, "h|"), "subjects: t77n9, t77n9");
    let mut receiver = NatsReceiver::new(target(Text::boxed("$HOST"), Text::boxed("$MSG")));
    assert_eq!(row(&mut receiver, "h|a"), "subjects: h, a");
    assert!(row(&mut receiver, "*|a").starts_with("BadName: "));
}

#[test]
fn a_text_has_a_longest_length() {
    let mut receiver = NatsReceiver::new(target(Text::boxed("t"), Box::new(Long(TEXT_BYTES_MAX))));
    assert_eq!(row(&mut receiver, "h|"), "t: t, long");
    let mut receiver = NatsReceiver::new(target(Text::boxed("t"), Box::new(Long(TEXT_BYTES_MAX + 1))));
    assert_eq!(row(&mut receiver, "h|"), "TooLarge: the text has more than 67108864 bytes");
}

#[test]
fn the_configuration_is_kept() {
    let mut receiver = NatsReceiver::new(target(Text::boxed("logs"), Text::boxed("$MSG")));
    let limits = RequestLimits { rows: 5, bytes: 77, wait: Some(Duration::from_secs(3)) };
    assert_eq!((receiver.limits(), receiver.workers(), receiver.batches().retries), (limits, 2, Some(4)));
    let port = receiver.target.server.port;
    assert_eq!(receiver.instance(), format!("nats,127.0.0.1,{port},logs"));
    let settings = receiver.settings();
    assert!(settings[0].starts_with("Stream ") && settings[0].contains("me"), "{settings:?}");
    assert_eq!(settings[1], "2s 2 Some(4)");
    let cells = [Cell::Bytes(b"logs".to_vec()), Cell::Bytes(b"\xffv".to_vec())];
    assert_eq!(receiver.describe("logs", &cells), "nats logs: \u{fffd}v");
    receiver.target.batches.lines = 0;
    receiver.target.batches.workers = 0;
    receiver.target.subject = Text::boxed("$HOST");
    assert_eq!((receiver.limits().rows, receiver.workers()), (1, 1));
    assert_eq!(receiver.instance(), format!("nats,127.0.0.1,{port},a template"));
    assert_eq!(receiver.describe("logs", &[]), receiver.instance());
}

#[test]
fn its_connection_goes_to_the_server() {
    let receiver = NatsReceiver::new(target(Text::boxed("t"), Text::boxed("x")));
    let rows = [Row { id: RecordId { incarnation: 1, sequence: 1 }, cells: Vec::new() }];
    let judged = shown(&runtime().block_on(receiver.connection().send("t", &rows)));
    assert!(judged.starts_with("1 Later(Reopen) Connection refused"), "{judged}");
}
