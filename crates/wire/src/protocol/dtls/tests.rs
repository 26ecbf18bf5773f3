//! Datagrams as clients send them, and truncated or changed ones.

use super::*;

/// A hello with a cookie, as a client sends it, in one record.
fn greeting(cookie: &[u8]) -> Vec<u8> {
    let mut body = vec![MAJOR, 0xfd];
    body.extend_from_slice(&[7; RANDOM_BYTES]);
    body.push(0);
    body.push(cookie.len() as u8);
    body.extend_from_slice(cookie);
    // One cipher suite, no compression.
    body.extend_from_slice(&[0, 2, 0xc0, 0x2f, 1, 0]);
    let size = body.len() as u8;
    let mut out = vec![content::HANDSHAKE, MAJOR, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0, size + 12];
    out.extend_from_slice(&[CLIENT_HELLO, 0, 0, size, 0, 1, 0, 0, 0, 0, 0, size]);
    out.extend_from_slice(&body);
    out
}

#[track_caller]
fn check(datagram: &[u8], want: &str) {
    let shown = match start(datagram) {
        Start::Hello(hello) => format!("hello {} {:?}", hello.sequence[7], hello.cookie),
        Start::Record(record) => format!("record {} {}", record.content, record.epoch),
        Start::Odd => "odd".to_owned(),
    };
    assert_eq!(shown, want, "{datagram:?}");
}

#[test]
fn knows_what_a_datagram_begins_with() {
    check(&greeting(b""), "hello 1 []");
    check(&greeting(&[1, 2, 3]), "hello 1 [1, 2, 3]");
    check(&[23, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 9, 0, 2, 0xaa, 0xbb], "record 23 1");
    check(&[21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 10], "record 21 0");
    // The same bytes in an encrypted record are not a hello.
    let mut sealed = greeting(b"");
    sealed[4] = 1;
    check(&sealed, "record 22 1");
}

#[test]
fn calls_odd_what_is_no_dtls() {
    for datagram in
        [&b""[..], b"<13>hello", &[0; 13], &[0xff; 100], &[23, 3, 3, 0, 1, 0, 0, 0, 0, 0, 9, 0, 0]]
    {
        check(datagram, "odd");
    }
    // A length beyond the end.
    check(&[23, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 9, 0, 3, 0xaa, 0xbb], "odd");
    let whole = greeting(&[5; 20]);
    for size in 0..whole.len() {
        check(&whole[..size], "odd");
    }
    // Not the first fragment; a fragment longer than the whole message; an incomplete cookie.
    for (at, value) in [(21, 1), (16, 1), (60, 200)] {
        let mut changed = whole.clone();
        changed[at] = value;
        check(&changed, "odd");
    }
}

#[test]
fn survives_any_change_of_a_byte() {
    let whole = greeting(&[5; 20]);
    for at in 0..whole.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = whole.clone();
            changed[at] = value;
            if let Start::Hello(hello) = start(&changed) {
                assert!(hello.cookie.len() < changed.len());
            }
        }
    }
}

#[test]
fn asks_for_a_cookie() {
    let mut out = Vec::new();
    append_verify_request([0, 0, 0, 0, 0, 0, 0, 4], &[9; 20], &mut out);
    assert_eq!(&out[..13], [22, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0, 4, 0, 35]);
    assert_eq!(&out[13..25], [3, 0, 0, 23, 0, 0, 0, 0, 0, 0, 0, 23]);
    assert_eq!(&out[25..], [&[0xfe, 0xff, 20][..], &[9; 20]].concat());
    assert!(
        out.len() < greeting(b"").len(),
        "the answer to a stranger is shorter than what the stranger sent"
    );
    check(&out, "record 22 0");
    let mut hint = Vec::new();
    append_hint(&mut hint);
    check(&hint, "record 21 0");
}
