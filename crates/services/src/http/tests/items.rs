//! A server that gives a result for each message, and what becomes of them.

use super::{Server, Setup, eventually, target};
use crate::http::{Compression, HttpTarget, ItemIds, ItemResults, ResponseAction};
use std::{io::Read, sync::Arc};
use transport::testing::Text;

/// A bulk server: each row is the answer to one request, the last one forever. A row is the statuses of the items, with
/// `c` before those of documents that are to be created; `cut` closes the connection, other words are the whole body.
fn bulk_server(rows: &[&str]) -> Server {
    let mut rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
    Server::speaking(move |_| {
        let row = if rows.len() > 1 { rows.remove(0) } else { rows[0].clone() };
        if row == "cut" {
            return (0, String::new());
        }
        if !row.bytes().all(|byte| byte.is_ascii_digit() || b" c".contains(&byte)) {
            return (200, row);
        }
        let item = |word: &str| {
            let (action, status) = word.strip_prefix('c').map_or(("index", word), |rest| ("create", rest));
            match status.starts_with('2') {
                true => format!(r#"{{"{action}":{{"status":{status}}}}}"#),
                false => {
                    format!(r#"{{"{action}":{{"status":{status},"error":{{"type":"t","reason":"r"}}}}}}"#)
                }
            }
        };
        let items: Vec<String> = row.split(' ').map(item).collect();
        let has_errors = row.contains('4') || row.contains('5');
        (200, format!(r#"{{"errors":{has_errors},"items":[{}]}}"#, items.join(",")))
    })
}

fn bulk_target(server: &Server) -> HttpTarget {
    let mut target = target(&[format!("http://127.0.0.1:{}/_bulk?pretty", server.port)]);
    target.batches.lines = 4;
    target.body_suffix = "\n".to_owned();
    target
}

/// Sends four messages; the bodies that the server must get, and how many messages were written and are dead then.
#[track_caller]
fn check(retries: Option<u32>, rows: &[&str], bodies: &[&str], written: u64, dead: u64) {
    let server = bulk_server(rows);
    let mut target = bulk_target(&server);
    target.batches.retries = retries;
    let setup = Setup::new(target);
    setup.send(&["h|1", "h|2", "h|3", "h|4"]);
    setup.check_counts(written, dead);
    let bodies: Vec<String> = bodies.iter().map(|body| format!("{body}\n")).collect();
    server.check_bodies(&bodies.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn l1_each_message_is_counted_by_its_own_result() {
    check(None, &["201 201 201 201"], &["1,2,3,4"], 4, 0);
    check(None, &["201 400 201 201"], &["1,2,3,4"], 3, 1);
    // Only what was postponed is sent again, in its order.
    check(None, &["201 400 429 503", "429 201", "201"], &["1,2,3,4", "3,4", "3"], 3, 1);
    check(None, &["201 201 500 500", "201 201"], &["1,2,3,4", "3,4"], 4, 0);
    // A busy server is asked until it is not, a failing one as often as the configuration says.
    check(Some(0), &["429 429 429 429", "201 201 201 201"], &["1,2,3,4"; 2], 4, 0);
    check(Some(0), &["500 500 500 201"], &["1,2,3,4"], 1, 3);
    // What someone can mend waits until it is mended.
    check(None, &["404 403 404 404", "201 201 201 201"], &["1,2,3,4"; 2], 4, 0);
}

#[test]
fn l1_nothing_is_written_that_the_server_did_not_say() {
    check(Some(0), &["ok"], &["1,2,3,4"], 0, 4);
    check(None, &["{}", "201 201 201 201"], &["1,2,3,4"; 2], 4, 0);
    check(None, &["201 201 201", "201 201 201 201"], &["1,2,3,4"; 2], 4, 0);
    check(None, &[r#"{"errors":false}"#], &["1,2,3,4"], 4, 0);
}

#[test]
fn l1_a_document_that_is_there_already_is_written() {
    check(None, &["cut", "c409 c409 c201 c201"], &["1,2,3,4"; 2], 4, 0);
    check(None, &["409 201 201 c409"], &["1,2,3,4"], 3, 1);
}

#[test]
fn l1_a_document_has_one_id_at_every_try() {
    let bodies = |ids: ItemIds| {
        let server = bulk_server(&["cut", "c201 c429", "c201"]);
        let mut target = bulk_target(&server);
        (target.batches.lines, target.delimiter, target.item_ids) = (2, "\n".to_owned(), ids);
        target.body = Text::boxed("{\"create\":{\"_index\":\"i\"}}\n$MSG");
        let setup = Setup::new(target);
        setup.send(&["h|1", "h|2"]);
        setup.check_counts(2, 0);
        let bodies = server.wait(3).into_iter().map(|(_, _, body)| String::from_utf8(body).unwrap());
        bodies.collect::<Vec<_>>()
    };
    let plain = "{\"create\":{\"_index\":\"i\"}}\n";
    assert_eq!(bodies(ItemIds::OfServer)[1], format!("{plain}1\n{plain}2\n"));
    let bodies = bodies(ItemIds::OfMessages);
    assert_eq!(bodies[0], bodies[1], "the repeat is the same request");
    let ids: Vec<&str> =
        bodies[0].split("\"_id\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(ids.len() == 2 && ids[0] != ids[1] && ids.iter().all(|id| id.len() == 22), "{ids:?}");
    assert_eq!(bodies[2], format!("{{\"create\":{{\"_id\":\"{}\",\"_index\":\"i\"}}}}\n2\n", ids[1]));
}

/// Loki takes equal lines of one time for one.
#[test]
fn equal_messages_have_times_of_their_own_and_keep_them() {
    let server = bulk_server(&["cut", "ok", "ok"]);
    let mut target = bulk_target(&server);
    (target.batches.lines, target.delimiter) = (3, ",".to_owned());
    (target.item_results, target.times) = (ItemResults::Never, Some((3, 1_000_000)));
    target.body = Text::boxed("at $MSG");
    let setup = Setup::new(target);
    setup.send(&["h|500000000 a", "h|500000000 a", "h|500007000 a"]);
    setup.check_counts(3, 0);
    let bodies: Vec<String> =
        server.wait(2).into_iter().map(|(_, _, body)| String::from_utf8(body).unwrap()).collect();
    assert_eq!(bodies[0], bodies[1], "the repeat is the same request");
    let times: Vec<u64> = bodies[0].split(',').map(|text| text[3..12].parse().unwrap()).collect();
    assert_eq!(times[1] % 1_000_000, (times[0] + 1) % 1_000_000, "{times:?}");
    assert!(times[..2].iter().all(|time| (500_000_000..501_000_000).contains(time)), "{times:?}");
    assert!((500_007_000..500_008_000).contains(&times[2]), "{times:?}");
}

#[test]
fn l1_an_index_that_is_missing_holds_its_own_messages() {
    let server = Server::speaking(|(_, _, body)| {
        let status = if String::from_utf8_lossy(body).contains("gone") { "404" } else { "201" };
        (200, format!(r#"{{"errors":true,"items":[{{"index":{{"status":{status}}}}}]}}"#))
    });
    let mut target = bulk_target(&server);
    target.batches.lines = 1;
    target.body = Text::boxed("{\"index\":{\"_index\":\"$HOST\"}}\n$MSG");
    let setup = Setup::new(target);
    setup.send(&["gone|1", "here|2", "gone|3", "here|4"]);
    setup.check_counts(2, 0);
    let trouble = || setup.registry.list()[0].trouble().unwrap_or_default();
    eventually("the state says why", || trouble().ends_with("/_bulk?pretty gone (schema): 404 "));
}

#[test]
fn l1_the_configuration_says_what_the_status_of_an_item_means() {
    let server = bulk_server(&["404 500"]);
    let mut target = bulk_target(&server);
    target.actions = vec![(404, ResponseAction::Success), (500, ResponseAction::Drop)];
    let setup = Setup::new(target);
    setup.send(&["h|1", "h|2"]);
    eventually("all is settled", || setup.counts() == (1, 0, 1));
    // With `ItemResults::Never` the answer has no results, and the messages are taken as a whole.
    let server = bulk_server(&["400 400"]);
    let setup = Setup::new(HttpTarget { item_results: ItemResults::Never, ..bulk_target(&server) });
    setup.send(&["h|1", "h|2"]);
    setup.check_counts(2, 0);
    let server = bulk_server(&["400 201"]);
    let url = format!("http://127.0.0.1:{}/ingest", server.port);
    let mut target = HttpTarget { item_results: ItemResults::Always, ..super::target(&[url]) };
    target.batches.lines = 2;
    let setup = Setup::new(target);
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
