//! Frames, written and read.

use super::*;
use crate::endpoint::Breach;

#[track_caller]
fn check(bytes: &[u8], want: &str) {
    let found = match decode(bytes, 100) {
        Ok(Some((frame, size))) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let headers: Vec<String> =
                frame.headers.iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect();
            format!("{size} {} {} {:?}", text(frame.command), headers.join(","), text(frame.body))
        }
        Ok(None) => "not whole".to_owned(),
        Err(Breach(what)) => what.to_owned(),
    };
    assert_eq!(found, want, "{}", String::from_utf8_lossy(bytes));
}

#[test]
fn frames_are_whole_or_not_yet() {
    check(b"RECEIPT\nreceipt-id:7\n\n\0", "23 RECEIPT receipt-id=7 \"\"");
    check(b"\n\r\nRECEIPT\r\nreceipt-id:7\r\n\r\n\0\n", "29 RECEIPT receipt-id=7 \"\"");
    check(b"ERROR\ncontent-length:3\n\na\0b\0more", "28 ERROR content-length=3 \"a\\0b\"");
    check(b"ERROR\nmessage:a\\cb\\n\\\\\nmessage:c\n\nbody\0", "39 ERROR message=a:b\n\\,message=c \"body\"");
    check(b"ERROR\ncontent-length:3\n\nabcd\0", "a text is longer than it says");
    check(b"ERROR\ncontent-length:x\n\n\0", "a length is no number");
    check(b"ERROR\nmessage\n\n\0", "a header has no colon");
    check(b"ERROR\nmessage:a\\t\n\n\0", "a header has an unknown escape");
    check(b"ERROR\nmessage:a\\\n\n\0", "a header has an unknown escape");
    check(b"HTTP/1.1 400 Bad Request\r\n", "this is no server of STOMP");
    check(b"SSH-2.0", "this is no server of STOMP");
    check(b"", "not whole");
    check(b"\n\n", "not whole");
    let whole = b"RECEIPT\nreceipt-id:7\ncontent-length:2\n\nab\0";
    for size in 0..whole.len() {
        check(&whole[..size], "not whole");
    }
    check(&[b"ERROR\nmessage:".to_vec(), vec![b'x'; 200]].concat(), "its answer is too long");
    check(&[b"ERROR\n".to_vec(), b"a:b\n".repeat(300)].concat(), "a frame has too many headers");
}

#[test]
fn the_first_of_several_headers_counts() {
    let (frame, _) = decode(b"ERROR\na:1\na:2\n\n\0", 100).unwrap().unwrap();
    assert_eq!((frame.header("a"), frame.header("b")), (Some(b"1".as_slice()), None));
}

#[test]
fn what_is_written_is_read() {
    let hostile = b"a:b\r\nSEND\n\\n\xff";
    let mut out = b"SEND\n".to_vec();
    header(hostile, hostile, &mut out);
    header(b"content-length", b"3", &mut out);
    body(b"\0\n\0", &mut out);
    let (frame, size) = decode(&out, 100).unwrap().unwrap();
    assert_eq!((frame.command, frame.body, size), (b"SEND".as_slice(), b"\0\n\0".as_slice(), out.len()));
    let (name, value) = &frame.headers[0];
    assert_eq!((&**name, &**value), (hostile.as_slice(), hostile.as_slice()));
    let mut out = Vec::new();
    login_header("passcode", "a:b\nlogin:x", &mut out);
    assert_eq!(out, b"passcode:a:blogin:x\n");
}
