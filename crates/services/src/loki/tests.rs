//! Streams of lines.

use super::{LokiReceiver, LokiTarget, LokiTime, connection::push_request};
use crate::grpc::tests::{Say, exchanged, settings};
use delivery::{Batches, Cell, Receiver, Row};
use message::{RecordId, Stamp};
use transport::testing::{Text, batch};

const BATCHES: Batches = Batches { lines: 10, bytes: 0, wait: None, workers: 1, retries: None };

fn receiver(time: LokiTime, port: u16) -> LokiReceiver {
    LokiReceiver::new(LokiTarget {
        settings: settings(port),
        headers: Vec::new(),
        labels: vec![("host".to_owned(), Text::boxed("$HOST")), ("app".to_owned(), Text::boxed(""))],
        line: Text::boxed("$MSG"),
        time,
        batches: BATCHES,
    })
}

fn row(message: &str) -> Row {
    let mut receiver = receiver(LokiTime::Current, 1);
    receiver.begin(Stamp::known(1_000_007, 0));
    let mut group = String::new();
    let cells = receiver.row(&batch(&[message]), 0, 1, &mut group).unwrap();
    Row { id: RecordId::default(), cells }
}

#[test]
fn lines_of_equal_labels_are_one_stream() {
    let rows: Vec<Row> = (0..)
        .zip(["a|one", "b|two", "a|one"])
        .map(|(sequence, text)| Row { id: RecordId { incarnation: 0, sequence }, ..row(text) })
        .collect();
    assert_eq!(rows[0].cells[0], Cell::Bytes(b"{host=\"a\"}".to_vec()));
    // The nanoseconds 7,000, 7,001 and 7,002: equal lines of one time would be one.
    let entry = |(line, place): (&str, u8)| {
        let size = u8::try_from(line.len()).unwrap();
        let inner = [&[10, 5, 8, 1, 16, 0xd8 + place, 0x36, 18, size][..], line.as_bytes()].concat();
        [&[18, u8::try_from(inner.len()).unwrap()][..], &inner].concat()
    };
    let stream = |labels: &str, entries: &[(&str, u8)]| {
        let entries: Vec<u8> = entries.iter().flat_map(|&line| entry(line)).collect();
        let inner = [&[10, u8::try_from(labels.len()).unwrap()][..], labels.as_bytes(), &entries].concat();
        [&[10, u8::try_from(inner.len()).unwrap()][..], &inner].concat()
    };
    let want =
        [stream("{host=\"a\"}", &[("one", 0), ("one", 2)]), stream("{host=\"b\"}", &[("two", 1)])].concat();
    assert_eq!(push_request(&rows), want);
}

#[test]
fn an_answer_is_about_all_lines() {
    let check = |says, want: &str| {
        let rows = [row("a|one"), row("b|two")];
        let connection = |port| receiver(LokiTime::Message, port).connection();
        let (found, heard) = exchanged(connection, ("", &rows), (&[Say(says, Vec::new())], 1));
        assert_eq!(found, [want]);
        assert_eq!(heard[0].0, "/logproto.Pusher/Push");
    };
    check("grpc-status: 0", "2 Delivered ");
    check(
        "grpc-status: 400\ngrpc-message: entry too far behind",
        "2 Split(Rejected) the server answered 400\nentry too far behind",
    );
    check("grpc-status: 429", "2 Later(Busy) the server answered 429");
    check("grpc-status: 401", "2 Hold(Credentials) the server answered 401");
}
