//! Errors and their verdicts, frames of messages, exchanges with a broker of a few answers.

use super::{
    connection::StompConnection,
    options::{Receipts, Shared, StompLogin, StompTarget},
    receiver::StompReceiver,
    verdict,
};
use crate::{
    link::{Endpoint, failure::Failure, size_limit::SizeLimit},
    testing::{Long, closed_port, row, runtime, sent_and_closed, shown},
};
use delivery::{Batches, Cell, Receiver, Row};
use message::{Batch, RecordId, RenderPairs, Stamp};
use std::{net::TcpListener, sync::Arc, time::Duration};
use transport::{amqp::Durability, testing::Text};

#[track_caller]
fn check_error(words: &str, want: &str) {
    let Failure { verdict, answer } = verdict::of_error(words);
    assert_eq!(format!("{verdict:?} {answer}"), want);
}

#[test]
fn an_error_says_whether_messages_wait_or_die() {
    check_error(
        "access_refused: ACCESS_REFUSED - no\naccess",
        "Hold(Access) access_refused: ACCESS_REFUSED - no access",
    );
    check_error(
        "Unknown destination: '/x' is not a valid destination.",
        "Hold(Schema) Unknown destination: '/x' is not a valid destination.",
    );
    check_error(
        "not_found: NOT_FOUND - no exchange 'x' in vhost '/'",
        "Hold(Schema) not_found: NOT_FOUND - no exchange 'x' in vhost '/'",
    );
    check_error(
        "precondition_failed: message size 9 is larger",
        "Split(TooLarge) precondition_failed: message size 9 is larger",
    );
    check_error("Usage Manager Memory Limit reached", "Hold(Quota) Usage Manager Memory Limit reached");
    check_error(
        "connection_forced: broker forced connection closure",
        "Later(Busy) connection_forced: broker forced connection closure",
    );
    check_error("Something else", "Split(Rejected) Something else");
    check_error("", "Split(Rejected) ");
    let login = |words| format!("{:?}", verdict::of_login(words).verdict);
    assert_eq!(login("Bad CONNECT: Access refused for user 'me'"), "Hold(Credentials)");
    assert_eq!(login("Version not supported"), "Hold(Credentials)");
    assert_eq!(login("Virtual host '/x' is not known"), "Hold(Schema)");
    assert_eq!(login("server is starting"), "Later(Reopen)");
    assert_eq!(verdict::of_version("").answer, "the broker speaks STOMP 1.0, not 1.2");
}

fn shared(port: u16, receipts: Receipts) -> Shared {
    Shared {
        server: Endpoint { host: "127.0.0.1".to_owned(), port, tls: None },
        login: StompLogin { vhost: "/".to_owned(), user: Some(("me".to_owned(), "secret".to_owned())) },
        destination: "/queue/x".to_owned(),
        durability: Durability::Persistent,
        receipts,
        timeout: Duration::from_millis(200),
        limit: SizeLimit::default(),
    }
}

fn rows(count: u64) -> Vec<Row> {
    let row = |sequence| Row {
        id: RecordId { incarnation: 1, sequence },
        cells: vec![Cell::Bytes(b"a:b\n".to_vec()), Cell::Bytes(b"x".to_vec())],
    };
    (0..count).map(row).collect()
}

const CONNECTED: &[u8] = b"CONNECTED\nversion:1.2\n\n\0\n";

/// Compares the verdicts over three rows when the broker says these things.
#[track_caller]
fn check(receipts: Receipts, says: &[&[u8]], want: &str) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let mut connection = StompConnection::new(Arc::new(shared(port, receipts)));
    let (found, _) = sent_and_closed(listener, says, &mut connection, ("/queue/x", &rows(3)));
    assert_eq!(found, want);
}

#[test]
fn receipts_are_of_each_message_or_of_the_last() {
    let each = Receipts::OfEach;
    let all = b"RECEIPT\nreceipt-id:2\n\n\0RECEIPT\nreceipt-id:1\n\n\0\nRECEIPT\nreceipt-id:3\n\n\0";
    check(each, &[CONNECTED, all], "3 Delivered ");
    check(Receipts::OfLast, &[CONNECTED, b"RECEIPT\nreceipt-id:3\n\n\0"], "3 Delivered ");
    let error = b"RECEIPT\nreceipt-id:1\n\n\0ERROR\nmessage:precondition_failed\n\nmessage size 9\0";
    check(each, &[CONNECTED, error], "1 Delivered ; 2 Split(TooLarge) precondition_failed: message size 9");
    check(each, &[CONNECTED, b"ERROR\nmessage:access_refused\n\n\0"], "3 Hold(Access) access_refused");
    check(
        each,
        &[CONNECTED, b"RECEIPT\nreceipt-id:4\n\n\0"],
        "3 Later(Busy) the server breaks its protocol: it confirms what was not sent",
    );
    check(
        each,
        &[CONNECTED, b"MESSAGE\n\nx\0"],
        "3 Later(Busy) the server breaks its protocol: it sends what nobody asked for",
    );
    check(each, &[b"CONNECTED\n\n\0"], "3 Hold(Schema) the broker speaks STOMP 1.0, not 1.2");
    check(
        each,
        &[b"ERROR\nmessage:Bad CONNECT\n\nAccess refused for user 'me'\n\0"],
        "3 Hold(Credentials) Bad CONNECT: Access refused for user 'me'",
    );
    check(
        each,
        &[b"HTTP/1.1 400 Bad Request\r\n\r\n"],
        "3 Later(Reopen) the server breaks its protocol: this is no server of STOMP",
    );
}

#[test]
fn a_message_that_is_too_large_is_not_sent_beside_others() {
    let each = |words: &str| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared = shared(port, Receipts::OfEach);
        shared.limit.learn(words);
        let mut connection = StompConnection::new(Arc::new(shared));
        let mut rows = rows(3);
        rows[1].cells[1] = Cell::Bytes(b"12345".to_vec());
        let says: [&[u8]; 2] =
            [CONNECTED, b"RECEIPT\nreceipt-id:1\n\n\0RECEIPT\nreceipt-id:2\n\n\0RECEIPT\nreceipt-id:3\n\n\0"];
        let says = if words.is_empty() {
            says
        } else {
            [CONNECTED, b"RECEIPT\nreceipt-id:1\n\n\0RECEIPT\nreceipt-id:2\n\n\0"]
        };
        sent_and_closed(listener, &says, &mut connection, ("/queue/x", &rows)).0
    };
    assert_eq!(each(""), "3 Delivered ");
    let answer = "it has 5 bytes, and the broker has refused messages of more than 4";
    let want = format!("1 Delivered ; 1 Suspect(TooLarge) {answer}; 1 Delivered ");
    assert_eq!(each("message size 9 is larger than configured max size 4"), want);
}

/// Gives the message as a header of its own name.
struct Named;

impl RenderPairs for Named {
    fn begin(&mut self, _: Stamp) {}

    fn pairs(&mut self, batch: &Batch, index: usize, _: u64, add: &mut dyn FnMut(&str, &[u8])) {
        add("receipt", b"9");
        add("a:b", batch.bytes(batch.messages[index].text));
    }
}

fn target(body: Box<dyn message::Render>) -> StompTarget {
    let Shared { server, login, destination, durability, receipts, timeout, .. } =
        shared(closed_port(), Receipts::OfEach);
    let batches = Batches { lines: 5, bytes: 77, wait: None, workers: 2, retries: Some(4) };
    StompTarget {
        server,
        login,
        destination,
        body,
        headers: Box::new(Named),
        durability,
        receipts,
        timeout,
        batches,
    }
}

#[test]
fn a_row_is_headers_and_a_text() {
    let mut receiver = StompReceiver::new(target(Text::boxed("$HOST")));
    assert_eq!(row(&mut receiver, "h|x:y"), "/queue/x: a\\cb:x\\cy\n, h");
    assert_eq!(row(&mut receiver, "h|x\0y"), "BadName: a header has a NUL, which STOMP cannot send");
    let mut receiver = StompReceiver::new(target(Box::new(Long((64 << 20) + 1))));
    assert_eq!(row(&mut receiver, "h|x"), "TooLarge: the body has more than 67108864 bytes");
}

#[test]
fn its_connection_goes_to_the_broker() {
    let receiver = StompReceiver::new(target(Text::boxed("$HOST")));
    let judged = shown(&runtime().block_on(receiver.connection().send("/queue/x", &rows(1))));
    assert!(judged.starts_with("1 Later(Reopen) Connection refused"), "{judged}");
    assert!(
        receiver.instance().starts_with("stomp,127.0.0.1,") && receiver.instance().ends_with(",/queue/x")
    );
    assert_eq!((receiver.batches().lines, receiver.workers()), (5, 2));
    assert!(!receiver.settings().concat().contains("secret"));
}
