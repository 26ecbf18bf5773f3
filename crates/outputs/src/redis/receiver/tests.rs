//! Commands of messages, and what a configuration says about them.

use super::*;
use crate::{
    link::Endpoint,
    redis::options::RedisLogin,
    testing::{Long, Timed, closed_port, row, runtime, sent_and_closed, shown},
};
use delivery::{RequestLimits, Row};
use message::{RecordId, Render};
use std::{net::TcpListener, time::Duration};
use transport::testing::Text;

fn target(arguments: Vec<Box<dyn Render>>) -> RedisTarget {
    RedisTarget {
        server: Endpoint { host: "127.0.0.1".to_owned(), port: closed_port(), tls: None },
        login: RedisLogin { user: Some("me".to_owned()), ..RedisLogin::default() },
        command: "SET".to_owned(),
        arguments,
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
fn a_row_is_the_arguments_of_a_command() {
    let mut receiver = RedisReceiver::new(target(vec![Box::<Timed>::default(), Text::boxed("$HOST=$MSG")]));
    assert_eq!(row(&mut receiver, "h|a b"), "SET: t77n9, h=a b");
    let cells = [Cell::Bytes(b"k".to_vec()), Cell::Bytes(b"\xffv".to_vec())];
    let want = format!("{}: SET k \u{fffd}v", receiver.instance());
    assert_eq!(receiver.describe("SET", &cells), want);
}

#[test]
fn a_command_has_a_longest_length() {
    let half = COMMAND_BYTES_MAX / 2;
    let mut receiver = RedisReceiver::new(target(vec![Box::new(Long(half)), Box::new(Long(half))]));
    assert_eq!(row(&mut receiver, "h|"), "SET: long, long");
    let mut receiver = RedisReceiver::new(target(vec![Box::new(Long(half + 1)), Box::new(Long(half))]));
    assert_eq!(row(&mut receiver, "h|"), "TooLarge: the command has more than 67108864 bytes");
}

#[test]
fn the_configuration_is_kept() {
    let mut receiver = RedisReceiver::new(target(vec![Text::boxed("key"), Text::boxed("$MSG")]));
    let limits = RequestLimits { rows: 5, bytes: 77, wait: Some(Duration::from_secs(3)) };
    assert_eq!((receiver.limits(), receiver.workers(), receiver.batches().retries), (limits, 2, Some(4)));
    let port = receiver.target.server.port;
    assert_eq!(receiver.instance(), format!("redis,127.0.0.1,{port}"));
    let settings = receiver.settings();
    assert_eq!(settings[0], "SET [Some(\"key\"), None]");
    assert!(settings[1].contains("me") && settings[2] == "2s 2 Some(4)", "{settings:?}");
    receiver.target.batches.lines = 0;
    receiver.target.batches.workers = 0;
    receiver.target.server.host = "/run/redis.sock".to_owned();
    assert_eq!((receiver.limits().rows, receiver.workers()), (1, 1));
    assert_eq!(receiver.instance(), "redis,/run/redis.sock");
}

#[test]
fn its_connection_goes_to_the_server() {
    let receiver = RedisReceiver::new(target(Vec::new()));
    let rows = [Row { id: RecordId { incarnation: 1, sequence: 1 }, cells: Vec::new() }];
    let judged = shown(&runtime().block_on(receiver.connection().send("SET", &rows)));
    assert!(judged.starts_with("1 Later(Reopen) Connection refused"), "{judged}");
}

#[test]
fn its_connection_is_used_until_it_is_closed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut target = target(Vec::new());
    target.login = RedisLogin::default();
    target.server.port = listener.local_addr().unwrap().port();
    let rows = [Row { id: RecordId { incarnation: 1, sequence: 1 }, cells: Vec::new() }];
    let mut connection = RedisReceiver::new(target).connection();
    let found = sent_and_closed(listener, &[b"+OK\r\n"], &mut *connection, ("SET", &rows));
    assert_eq!(found, ("1 Delivered ".to_owned(), true));
}
