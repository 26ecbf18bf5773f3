//! Requests for records, and what becomes of records that a server refuses.

use super::{OtlpForm, OtlpReceiver, OtlpTarget};
use crate::grpc::tests::{Heard, Say, exchanged, settings};
use delivery::{Batches, Receiver, Row};
use message::{RecordId, Stamp};
use transport::testing::{Text, batch};
use wire::protobuf::{Field, Fields};

const BATCHES: Batches = Batches { lines: 10, bytes: 0, wait: None, workers: 1, retries: None };

fn receiver(form: OtlpForm, port: u16) -> OtlpReceiver {
    let headers = vec![("x-host".to_owned(), Text::boxed("$HOST"))];
    OtlpReceiver::new(OtlpTarget { form, settings: settings(port), headers, batches: BATCHES })
}

/// Makes rows of messages of one host, and their group.
fn rows(count: usize) -> (String, Vec<Row>) {
    let mut receiver = receiver(OtlpForm::Records, 1);
    receiver.begin(Stamp::known(77, 0));
    let mut group = String::new();
    let rows = (0..count).map(|number| {
        group.clear();
        let batch = batch(&["web|paid\u{7}"]);
        let id = RecordId { incarnation: 1, sequence: number as u64 };
        Row { id, cells: receiver.row(&batch, 0, number as u64, &mut group).unwrap() }
    });
    let rows = rows.collect();
    (group, rows)
}

/// Returns how many records a request has.
fn records((_, _, body): &Heard) -> usize {
    let message = &body[5..];
    let inside = |range: std::ops::Range<usize>, wanted: u32| -> Vec<std::ops::Range<usize>> {
        let fields = Fields::of(message, range).map(Result::unwrap);
        fields
            .filter_map(|(number, field)| match field {
                Field::Bytes(range) if number == wanted => Some(range),
                _ => None,
            })
            .collect()
    };
    inside(0..message.len(), 1)
        .into_iter()
        .flat_map(|resource| inside(resource, 2))
        .map(|scope| inside(scope, 2).len())
        .sum()
}

/// Sends rows, so many times, to a server with these answers.
#[track_caller]
fn check(count: usize, says: &[Say], verdicts: &[&str], sizes: &[usize]) {
    let (group, rows) = rows(count);
    let connection = |port| receiver(OtlpForm::Records, port).connection();
    let (found, heard) = exchanged(connection, (&group, &rows), (says, verdicts.len()));
    assert_eq!(found, verdicts);
    assert_eq!(heard.iter().map(records).collect::<Vec<_>>(), sizes);
    assert!(heard.iter().all(|(_, headers, _)| headers.contains("x-host: web")));
}

fn ok() -> Say {
    Say("grpc-status: 0", Vec::new())
}

/// `{ partial_success: { rejected_log_records: COUNT, error_message: "bad" } }`
fn refused(count: u8) -> Say {
    Say("grpc-status: 0", vec![10, 7, 8, count, 18, 3, b'b', b'a', b'd'])
}

#[test]
fn a_batch_is_one_request() {
    check(3, &[ok()], &["3 Delivered "], &[3]);
    check(1, &[Say("grpc-status: 14", Vec::new())], &["1 Later(Busy) the server answered UNAVAILABLE"], &[1]);
    // A warning is no refusal.
    check(2, &[Say("grpc-status: 0", vec![10, 5, 18, 3, b'o', b'l', b'd'])], &["2 Delivered "], &[2]);
    let answer = "2 Later(Busy) the server's answer cannot be read";
    check(2, &[Say("grpc-status: 0", vec![10, 9])], &[answer], &[2]);
}

#[test]
fn a_refused_part_is_kept_and_makes_requests_smaller() {
    check(2, &[refused(2)], &["2 Dead(Rejected) the server refused 2 of 2 records\nbad"], &[2]);
    let four =
        "4 Dead(Unnamed) the server refused 1 of 4 records and does not say which; it has the others\nbad";
    let mixed = "2 Delivered ; 2 Dead(Unnamed) the server refused 1 of 2 records and does not say which; it has the others\nbad";
    let alone = "1 Dead(Rejected) the server refused 1 of 1 records\nbad; 3 Delivered ";
    check(
        4,
        &[refused(1), ok(), refused(1), refused(1), ok(), ok(), ok(), ok(), ok()],
        &[four, mixed, alone, "4 Delivered "],
        &[4, 2, 2, 1, 1, 2, 4],
    );
}

#[test]
fn the_configuration_is_kept() {
    let receiver = receiver(OtlpForm::Whole, 7);
    assert_eq!(receiver.instance(), "otlp,127.0.0.1:7");
    assert_eq!(receiver.batches(), BATCHES);
    assert!(!receiver.settings().concat().contains("secret"));
    assert_eq!(receiver.describe("", &[]), "a record for 127.0.0.1:7");
}
