//! Lines and headers of a server.

use super::*;

#[track_caller]
fn check_line(bytes: &[u8], want: Result<Option<(Line<'_>, usize)>, &str>) {
    let found = decode_line(bytes).map_err(|breach| breach.0);
    assert_eq!(found, want, "{}", String::from_utf8_lossy(bytes));
}

#[test]
fn the_line_before_a_message_says_where_it_is_from() {
    let head = MessageHead { subject: "a.b", reply: None, header_bytes: 0, bytes: 2 };
    check_line(b"MSG a.b 1 2\r\n{}", Ok(Some((Line::Message(head), 13))));
    let head = MessageHead { subject: "a", reply: Some("r.1"), header_bytes: 12, bytes: 14 };
    check_line(b"HMSG a 2 r.1 12 14\r\n", Ok(Some((Line::Message(head), 20))));
    check_line(b"HMSG a 2 r.1 12 14\r", Ok(None));
    check_line(b"MSG a 1 x\r\n", Err("a text has no length"));
    check_line(b"HMSG a 1 15 14\r\n", Err("a head has no length"));
    check_line(b"MSG a 2\r\n", Err("a message has no subject"));
    check_line(b"MSG\r\n", Err("a text has no length"));
    check_line(b"MSG \xff 1 2\r\n", Err("a line is no text"));
    check_line(b"PING\n", Err("a line has another end"));
    check_line(&vec![b'x'; LINE_BYTES_MAX], Err("a line has no end"));
}

/// Compares the status, its words and the headers of a block.
#[track_caller]
fn check_headers(block: &[u8], want: &str) {
    let found = headers(block).map_or("none".to_owned(), |found| {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let all: Vec<String> =
            found.iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect();
        format!("{:?} {:?} {}", found.status, text(found.words), all.join(","))
    });
    assert_eq!(found, want);
}

#[test]
fn headers_are_read_as_far_as_they_are_whole() {
    check_headers(b"NATS/1.0\r\nA: b\r\nC:d:e\r\n\r\n", "None \"\" A=b,C=d:e");
    check_headers(b"NATS/1.0 409 Consumer Deleted\r\nX: 1\r\n\r\n", "Some(409) \"Consumer Deleted\" X=1");
    check_headers(b"NATS/1.0 503\r\n\r\n", "Some(503) \"\" ");
    check_headers(b"NATS/1.0\r\nA: b\r\nC: half", "None \"\" A=b");
    check_headers(b"NATS/1.0", "none");
    check_headers(b"HTTP/1.1 200\r\n", "none");
    let block = headers(b"NATS/1.0 408 x\r\nNats-Pending-Messages: 12\r\n\r\n");
    assert_eq!(block.and_then(|found| found.number("nats-pending-messages")), Some(12));
}

#[test]
fn an_error_has_a_kind() {
    let check = |words: &str, want: Complaint| assert_eq!(Complaint::of(words), want, "{words}");
    check("Authorization Violation", Complaint::Login);
    check("User Authentication Expired", Complaint::Login);
    check("Permissions Violation for Publish to \"a\"", Complaint::Access);
    check("maximum connections exceeded", Complaint::Full);
    check("Stale Connection", Complaint::Other);
}
