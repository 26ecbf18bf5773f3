//! A server that gives a result for each message, and what becomes of them.

use super::{Server, Setup, target};
use crate::{Compression, HttpTarget, ItemResults, ResponseAction};
use std::{io::Read, sync::Arc};

/// A bulk server: each row is the answer to one request, the last one for ever. A row is the statuses of the items;
/// `cut` closes the connection, other words are the whole body.
fn bulk_server(rows: &[&str]) -> Server {
    let mut rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
    Server::speaking(move |_| {
        let row = if rows.len() > 1 { rows.remove(0) } else { rows[0].clone() };
        if row == "cut" {
            return (0, String::new());
        }
        if !row.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ') {
            return (200, row);
        }
        let item = |status: &str| match status.starts_with('2') {
            true => format!(r#"{{"index":{{"status":{status}}}}}"#),
            false => format!(r#"{{"index":{{"status":{status},"error":{{"type":"t","reason":"r"}}}}}}"#),
        };
        let items: Vec<String> = row.split(' ').map(item).collect();
        (
            200,
            format!(
                r#"{{"errors":{},"items":[{}]}}"#,
                row.contains('4') || row.contains('5'),
                items.join(",")
            ),
        )
    })
}

fn bulk_target(server: &Server) -> HttpTarget {
    let mut target = target(&[format!("http://127.0.0.1:{}/_bulk?pretty", server.port)]);
    target.batch_lines = 4;
    target.body_suffix = "\n".to_owned();
    target
}

/// Sends four messages; the bodies that the server must get, and how many messages were written and dropped then.
#[track_caller]
fn check(rows: &[&str], bodies: &[&str], written: u64, dropped: u64) {
    let server = bulk_server(rows);
    let setup = Setup::new(bulk_target(&server));
    setup.send(&["h|1", "h|2", "h|3", "h|4"]);
    setup.check_counts(written, dropped);
    let bodies: Vec<String> = bodies.iter().map(|body| format!("{body}\n")).collect();
    server.check_bodies(&bodies.iter().map(String::as_str).collect::<Vec<_>>());
    let refused = setup.registry.list()[0].dropped_refused.load(std::sync::atomic::Ordering::Relaxed);
    assert_eq!(refused, dropped, "all that is dropped was refused by the server");
}

#[test]
fn l1_each_message_is_counted_by_its_own_result() {
    check(&["201 201 201 201"], &["1,2,3,4"], 4, 0);
    check(&["201 400 201 201"], &["1,2,3,4"], 3, 1);
    // Only what was postponed is sent again, in its order.
    check(&["201 400 429 503", "429 201", "201"], &["1,2,3,4", "3,4", "3"], 3, 1);
    check(&["201 201 500 500", "201 201"], &["1,2,3,4", "3,4"], 4, 0);
    // What is left of a request is tried two more times while nothing of it is taken, then given up.
    check(&["201 201 201 429", "429"], &["1,2,3,4", "4", "4", "4"], 3, 1);
    check(
        &["201 429 429 429", "429 429 429", "429 201 429", "429 429"],
        &["1,2,3,4", "2,3,4", "2,3,4", "2,4", "2,4", "2,4"],
        2,
        2,
    );
    // A server that takes nothing at all is busy: it is asked until it does.
    check(
        &["429 429 429 429", "503 503 503 503", "429 429 429 429", "429 429 429 429", "201 201 201 201"],
        &["1,2,3,4"; 5],
        4,
        0,
    );
    check(&["500 500 500 500"], &["1,2,3,4"; 3], 0, 4);
}

#[test]
fn l1_nothing_is_written_that_the_server_did_not_say() {
    check(&["ok"], &["1,2,3,4"; 3], 0, 4);
    check(&["{}", "201 201 201 201"], &["1,2,3,4"; 2], 4, 0);
    check(&["201 201 201", "201 201 201 201"], &["1,2,3,4"; 2], 4, 0);
    check(&[r#"{"errors":false}"#], &["1,2,3,4"], 4, 0);
}

#[test]
fn l1_a_document_that_an_unanswered_try_created_is_written() {
    check(&["cut", "409 409 201 201"], &["1,2,3,4"; 2], 4, 0);
    check(&["409 201 201 201"], &["1,2,3,4"], 3, 1);
}

#[test]
fn l1_the_configuration_says_what_the_status_of_an_item_means() {
    let server = bulk_server(&["404 500"]);
    let mut target = bulk_target(&server);
    target.actions = vec![(404, ResponseAction::Success), (500, ResponseAction::Drop)];
    let setup = Setup::new(target);
    setup.send(&["h|1", "h|2"]);
    setup.check_counts(1, 1);
    // With `ItemResults::Never` the answer has no results, and the messages are taken as a whole.
    let server = bulk_server(&["400 400"]);
    let setup = Setup::new(HttpTarget { item_results: ItemResults::Never, ..bulk_target(&server) });
    setup.send(&["h|1", "h|2"]);
    setup.check_counts(2, 0);
    let server = bulk_server(&["400 201"]);
    let url = format!("http://127.0.0.1:{}/ingest", server.port);
    let setup =
        Setup::new(HttpTarget { item_results: ItemResults::Always, batch_lines: 2, ..super::target(&[url]) });
    setup.send(&["h|1", "h|2"]);
    setup.check_counts(1, 1);
}

#[test]
fn l1_what_is_left_of_a_packed_request_is_packed() {
    let server = bulk_server(&["201 429 201 429", "201 201"]);
    let mut target = bulk_target(&server);
    Arc::make_mut(&mut target.settings).compression = Compression::Gzip;
    target.body_prefix = "[".to_owned();
    let setup = Setup::new(target);
    setup.send(&["h|1", "h|2", "h|3", "h|4"]);
    setup.check_counts(4, 0);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&server.wait(2)[1].2[..]).read_to_string(&mut text).unwrap();
    assert_eq!(text, "[2,4\n");
}
