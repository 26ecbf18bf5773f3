//! Requests byte for byte, answers as Zabbix 6.0 gives them, and exchanges with a server of prepared answers.

use super::{
    options::ZabbixTarget,
    protocol::{Answer, AnswerReader, request},
    receiver::{KEY_CHARACTERS_MAX, NAME_CHARACTERS_MAX, VALUE_BYTES_MAX, ZabbixReceiver},
    refused::Refused,
    verdict,
};
use crate::{
    link::{Endpoint, dialogue::Dialogue},
    testing::{Long, row, runtime, shown},
};
use delivery::{Batches, Cell, Receiver, Row};
use message::{RecordId, Render};
use std::time::{Duration, Instant};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use transport::testing::Text;

fn value(sequence: u64, host: &str, key: &str, value: &str) -> Row {
    let text = |text: &str| Cell::Text(text.to_owned());
    let cells = vec![text(host), text(key), text(value), Cell::Integer(1_700_000_000_000_007)];
    Row { id: RecordId { incarnation: 1, sequence }, cells }
}

#[test]
fn a_request_is_that_of_the_manual() {
    let want = r#"{"request":"sender data","data":[{"host":"web","key":"log[a,b]","value":"x \"y\"\n\u0001ä","clock":1700000000,"ns":7006}]}"#;
    let found = request(&[value(2005, "web", "log[a,b]", "x \"y\"\n\u{1}\u{e4}")]);
    let head = [b"ZBXD\x01".as_slice(), &(want.len() as u32).to_le_bytes(), &[0; 4]].concat();
    assert_eq!(found[..13], head);
    assert_eq!(String::from_utf8_lossy(&found[13..]), want);
    let two = request(&[value(1, "a", "k", "1"), value(2, "b", "k", "2")]);
    let found: serde_json::Value = serde_json::from_slice(&two[13..]).unwrap();
    assert_eq!(
        found["data"][1],
        serde_json::json!({"host": "b", "key": "k", "value": "2", "clock": 1_700_000_000, "ns": 7003})
    );
    let mut old = value(1, "a", "k", "1");
    old.cells[3] = Cell::Integer(0);
    assert!(String::from_utf8_lossy(&request(&[old])).contains("\"clock\":0,\"ns\":2}"));
}

/// Zabbix drops a second value of an item for the same nanosecond without a sign.
#[test]
fn values_of_one_time_have_times_of_their_own() {
    let times = |at: i64, ids: &[RecordId]| {
        let rows: Vec<Row> = ids
            .iter()
            .map(|&id| {
                let mut row = value(0, "web", "log", "text");
                row.cells[3] = Cell::Integer(at);
                Row { id, ..row }
            })
            .collect();
        let found: serde_json::Value = serde_json::from_slice(&request(&rows)[13..]).unwrap();
        let all = found["data"].as_array().unwrap().iter();
        all.map(|one| (one["clock"].as_u64().unwrap(), one["ns"].as_u64().unwrap())).collect::<Vec<_>>()
    };
    // Seconds and milliseconds are not enough to tell values apart; a time in microseconds has three digits left.
    let cases = [
        (1_700_000_000_000_000, 200_000, 0..1_000_000_000),
        (1_700_000_000_250_000, 200_000, 250_000_000..251_000_000),
        (1_700_000_000_250_007, 1_000, 250_007_000..250_008_000),
    ];
    for (at, count, within) in cases {
        let ids: Vec<RecordId> =
            (0..count).map(|sequence| RecordId { incarnation: u64::MAX - 5, sequence }).collect();
        let found = times(at, &ids);
        assert!(found.iter().all(|(clock, ns)| *clock == 1_700_000_000 && within.contains(ns)));
        assert_eq!(found.iter().collect::<std::collections::HashSet<_>>().len(), ids.len(), "{at}");
        assert_eq!(times(at, &ids), found, "the same again");
    }
    // Two starts of a queue in memory.
    let ids = [1, 900].map(|incarnation| RecordId { incarnation, sequence: 5 });
    let found = times(1_700_000_000_000_000, &ids);
    assert_ne!(found[0], found[1]);
}

fn framed(text: &str) -> Vec<u8> {
    [b"ZBXD\x01".as_slice(), &(text.len() as u32).to_le_bytes(), &[0; 4], text.as_bytes()].concat()
}

fn counts(processed: usize, failed: usize) -> Vec<u8> {
    let total = processed + failed;
    framed(&format!(
        "{{\"response\":\"success\",\"info\":\"processed: {processed}; failed: {failed}; total: {total}; seconds spent: 0.000058\"}}"
    ))
}

#[track_caller]
fn check_answer(bytes: &[u8], want: &str) {
    let mut reader = AnswerReader::default();
    // In pieces, as it may come.
    let mut found = String::new();
    for end in 0..=bytes.len() {
        match reader.take(&bytes[..end], &mut Vec::new()) {
            Ok(0) => found = "more".to_owned(),
            Ok(used) => {
                assert_eq!(used, bytes.len());
                found = match reader.answer.take() {
                    Some(Answer::Counted { processed, failed }) => format!("{processed} {failed}"),
                    Some(Answer::Failed(words)) => words,
                    None => "nothing".to_owned(),
                };
            }
            Err(breach) => {
                found = breach.0.to_owned();
                break;
            }
        }
    }
    assert_eq!(found, want);
}

#[test]
fn an_answer_has_two_counts_or_words() {
    check_answer(&counts(3, 1), "3 1");
    check_answer(
        &framed("{\"response\":\"success\",\"info\":\"Processed 2 Failed 5 Total 7 Seconds spent 0.1\"}"),
        "2 5",
    );
    check_answer(
        &framed("{\"response\":\"failed\",\"info\":\"cannot find pair with name \\\"data\\\"\"}"),
        "cannot find pair with name \"data\"",
    );
    check_answer(
        &framed("{\"response\":\"failed\",\"redirect\":{\"revision\":2,\"address\":\"10.0.0.1:10051\"}}"),
        "this host belongs to the proxy 10.0.0.1:10051: write that into server()",
    );
    check_answer(&framed("{\"response\":\"success\"}"), "its answer has no counts");
    check_answer(&framed("{}"), "this is no answer to values");
    check_answer(&framed("no JSON"), "this is no answer to values");
    check_answer(b"ZBXD\x03\0\0\0\0\0\0\0\0", "its answer is compressed, or of another version");
    check_answer(b"ZBXD\x01\xff\xff\xff\xff\0\0\0\0", "its answer is too long");
    check_answer(b"HTTP/1.1 400", "its answer does not begin as one of Zabbix");
    check_answer(b"ZBXD\x01", "more");
}

#[track_caller]
fn check_verdict(answer: &Answer, values: usize, want: &str) {
    let found = match verdict::of_answer(answer, values) {
        Ok(()) => "Delivered".to_owned(),
        Err(failure) => format!("{:?}", failure.verdict),
    };
    assert_eq!(found, want, "{answer:?} of {values}");
}

#[test]
fn counts_say_what_becomes_of_values() {
    let counted = |processed, failed| Answer::Counted { processed, failed };
    check_verdict(&counted(4, 0), 4, "Delivered");
    check_verdict(&counted(0, 4), 4, "Dead(Rejected)");
    check_verdict(&counted(3, 1), 4, "Split(Rejected)");
    check_verdict(&counted(3, 0), 4, "Split(Rejected)");
    check_verdict(&counted(0, 0), 1, "Split(Rejected)");
    check_verdict(&Answer::Failed("busy".to_owned()), 4, "Later(BackOff)");
}

#[test]
fn refusals_are_expected_for_a_while() {
    let (refused, now) = (Refused::default(), Instant::now());
    assert!(!refused.is_likely("h", "k", now));
    refused.add("h", "k", now);
    assert!(refused.is_likely("h", "k", now) && !refused.is_likely("h", "other", now));
    assert!(!refused.is_likely("h", "k", now + Duration::from_secs(61)));
    refused.remove("h", "k");
    assert!(!refused.is_likely("h", "k", now));
    for number in 0..20_000 {
        refused.add("h", &number.to_string(), now);
    }
    assert!(refused.is_likely("h", "9999", now) && !refused.is_likely("h", "10000", now));
    refused.add("h", "later", now + Duration::from_secs(61));
    assert!(refused.is_likely("h", "later", now + Duration::from_secs(61)));
}

fn target(port: u16, [host, key, value]: [Box<dyn Render>; 3]) -> ZabbixTarget {
    ZabbixTarget {
        server: Endpoint { host: "127.0.0.1".to_owned(), port, tls: None },
        host,
        key,
        value,
        timeout: Duration::from_secs(2),
        batches: Batches { lines: 250, bytes: 0, wait: None, workers: 1, retries: None },
    }
}

#[test]
fn a_message_is_a_value_of_an_item() {
    let mut receiver =
        ZabbixReceiver::new(target(1, [Text::boxed("$HOST"), Text::boxed("log"), Text::boxed("<$MSG>")]));
    assert_eq!(
        row(&mut receiver, "web|x\0y"),
        "127.0.0.1: Text(\"web\"), Text(\"log\"), Text(\"<x\u{fffd}y>\"), Integer(0)"
    );
    assert_eq!(row(&mut receiver, "|x"), "BadName: the host is empty");
    receiver.refused().add("web", "log", Instant::now());
    assert_eq!(
        row(&mut receiver, "web|x"),
        "127.0.0.1 refused: Text(\"web\"), Text(\"log\"), Text(\"<x>\"), Integer(0)"
    );
    let of = |host: usize, key: usize, value: usize| {
        let long = |size| Box::new(Long(size)) as Box<dyn Render>;
        row(&mut ZabbixReceiver::new(target(1, [long(host), long(key), long(value)])), "h|")
    };
    assert_eq!(of(NAME_CHARACTERS_MAX + 1, 1, 1), "BadName: the host has more than 128 characters");
    assert_eq!(of(1, KEY_CHARACTERS_MAX + 1, 1), "BadName: the key has more than 2048 characters");
    assert_eq!(of(1, 1, VALUE_BYTES_MAX + 1), "TooLarge: the value has more than 65535 bytes");
    assert!(
        of(NAME_CHARACTERS_MAX, KEY_CHARACTERS_MAX, VALUE_BYTES_MAX).starts_with("127.0.0.1: Text(\"xxx")
    );
}

/// Sends rows to a server that gives these answers, each over a connection of its own. Returns the verdicts.
fn exchanged(rows: &[Row], answers: &[Vec<u8>]) -> Vec<String> {
    runtime().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let texts = [Text::boxed("h"), Text::boxed("k"), Text::boxed("v")];
        let mut connection = ZabbixReceiver::new(target(port, texts)).connection();
        let serve = async {
            for answer in answers {
                let (mut peer, _) = listener.accept().await.unwrap();
                let mut head = [0; 13];
                peer.read_exact(&mut head).await.unwrap();
                let mut body = vec![0; u32::from_le_bytes(head[5..9].try_into().unwrap()) as usize];
                peer.read_exact(&mut body).await.unwrap();
                peer.write_all(answer).await.unwrap();
            }
        };
        let send = async {
            let mut verdicts = Vec::new();
            for _ in answers {
                verdicts.push(shown(&connection.send("", rows).await));
            }
            verdicts
        };
        tokio::join!(send, serve).0
    })
}

#[test]
fn each_request_has_a_connection_of_its_own() {
    let rows = [value(1, "a", "k", "1"), value(2, "b", "k", "2")];
    let found = exchanged(
        &rows,
        &[counts(2, 0), Vec::new(), counts(1, 1), b"ZBXD\x01\x09".to_vec(), b"nonsense".to_vec()],
    );
    let closed = "2 Later(Busy) the server closed the connection without an answer; its log says why";
    assert_eq!((found[0].as_str(), found[1].as_str(), found[3].as_str()), ("2 Delivered ", closed, closed));
    assert!(found[2].starts_with("2 Split(Rejected) the server does not take the value: "), "{}", found[2]);
    assert_eq!(
        found[4],
        "2 Later(Busy) the server breaks its protocol: its answer does not begin as one of Zabbix"
    );
}
