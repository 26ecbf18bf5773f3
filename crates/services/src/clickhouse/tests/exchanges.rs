//! Requests as a server of prepared answers hears them, and what becomes of the rows.

use super::*;
use crate::testing::{closed_port, requests, runtime, shown};
use delivery::Row;
use message::RecordId;
use std::io::Read;

const TOKENS: &str =
    "&wait_for_async_insert=1&insert_deduplication_token=00000000000000ab-000000000001-000000000002-";

/// Rows as the receiver makes them.
fn rows() -> Vec<Row> {
    let text = format!("{{\"id\":\"{}\"}}\n", "0".repeat(32));
    let cells = vec![Cell::Bytes(text.into_bytes()), Cell::Integer(7)];
    let row = |sequence| Row { id: RecordId { incarnation: 0xab, sequence }, cells: cells.clone() };
    vec![row(1), row(2)]
}

/// Sends rows, so many times, to a server with these answers. Returns the verdicts, and the lines and bodies of the requests.
fn exchanged(compression: Compression, says: &[&str], sends: usize) -> (Vec<String>, Vec<(String, Vec<u8>)>) {
    let connection = |address: &str| {
        let mut target = target(columns(&[]), Some("id"));
        target.address = address.to_owned();
        target.settings.compression = compression;
        ClickhouseReceiver::new(target).connection()
    };
    requests::exchanged(connection, ("", &rows()), (says, sends))
}

#[test]
fn a_batch_is_one_insert_with_a_token() {
    let (verdicts, heard) = exchanged(Compression::None, &["200 "], 1);
    assert_eq!(verdicts, ["2 Delivered "]);
    let (head, body) = &heard[0];
    assert!(
        head.starts_with("POST /?query=INSERT%20INTO%20%60logs%60.%60t%60%20%28%60id%60%29%20FORMAT"),
        "{head}"
    );
    assert!(head.contains(TOKENS) && head.contains("\r\nauthorization: basic x\r\n"), "{head}");
    let line = |sequence| format!("{{\"id\":\"00000000000000ab000000000000000{sequence}\"}}");
    assert_eq!(String::from_utf8_lossy(body), format!("{}\n{}", line(1), line(2)));
    let (_, heard) = exchanged(Compression::Gzip, &["200 "], 1);
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&heard[0].1[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!((&unpacked, heard[0].0.contains("content-encoding: gzip")), (body, true));
}

#[test]
fn a_lost_answer_repeats_the_same_insert() {
    let (verdicts, heard) = exchanged(Compression::None, &["", "200 "], 1);
    assert_eq!(verdicts, ["2 Delivered "]);
    let line = |at: usize| heard[at].0.lines().next().unwrap().to_owned();
    assert_eq!((line(0), &heard[0].1), (line(1), &heard[1].1));
    let busy = "500 Code: 252. DB::Exception: Too many parts";
    let (verdicts, heard) = exchanged(Compression::None, &[busy, "200 "], 2);
    assert_eq!(
        verdicts,
        ["2 Later(Busy) the server answered Code: 252. DB::Exception: Too many parts", "2 Delivered "]
    );
    assert_eq!(heard[0].0, heard[1].0);
}

#[test]
fn an_exception_after_a_success_is_seen() {
    let late = "200 \nCode: 27. DB::Exception: Cannot parse: (at row 1)";
    let (verdicts, _) = exchanged(Compression::None, &[late], 1);
    let words = "(Type) the server answered Code: 27. DB::Exception: Cannot parse\n";
    assert!(verdicts[0].starts_with(&format!("1 Suspect{words}")), "{verdicts:?}");
    assert!(verdicts[0].contains(&format!("1 Split{words}")), "{verdicts:?}");
}

#[test]
fn a_server_that_does_not_know_tokens_gets_none() {
    let unknown =
        "404 Code: 115, e.displayText() = DB::Exception: Unknown setting insert_deduplication_token";
    let (verdicts, heard) = exchanged(Compression::None, &[unknown, "200 ", "200 "], 2);
    assert_eq!(verdicts, ["2 Delivered ", "2 Delivered "]);
    let tokens: Vec<bool> = heard.iter().map(|(head, _)| head.contains("token")).collect();
    assert_eq!(tokens, [true, false, false]);
    // After the server went away, another version may be there.
    let (_, heard) = exchanged(Compression::None, &[unknown, "200 ", "", "", "200 "], 3);
    let tokens: Vec<bool> = heard.iter().map(|(head, _)| head.contains("token")).collect();
    assert_eq!(tokens, [true, false, false, false, true]);
    let (verdicts, _) = exchanged(Compression::None, &[unknown, unknown], 1);
    assert!(verdicts[0].starts_with("2 Hold(Schema) "), "{verdicts:?}");
}

#[test]
fn a_server_that_is_away_is_tried_later() {
    let mut target = target(columns(&[]), None);
    target.address = format!("http://127.0.0.1:{}", closed_port());
    let mut connection = ClickhouseReceiver::new(target).connection();
    let judged = shown(&runtime().block_on(connection.send("", &rows())));
    assert!(judged.starts_with("2 Later(Reopen) Connection refused"), "{judged}");
}
