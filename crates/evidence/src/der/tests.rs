//! Rows for lengths of values, and text in PEM.

use super::*;
use crate::digest::{Digest, hex, unhex};

/// Checks that a value is read back as it was written, and how many bytes its length takes.
#[track_caller]
fn check(length: usize, start: &[u8]) {
    let body = vec![7; length];
    let written = value(OCTET_STRING, &body);
    assert_eq!(written[..start.len()], *start, "{length}");
    assert_eq!(written.len(), start.len() + length);
    let more = [written.as_slice(), &[1, 0]].concat();
    let mut values = Values(&more);
    let read = values.next().unwrap();
    assert_eq!((read.tag, read.body, read.whole), (OCTET_STRING, body.as_slice(), written.as_slice()));
    assert_eq!((values.next().map(|value| value.tag), values.next().is_none()), (Some(1), true));
    assert!(Values(&written[..written.len() - 1]).next().is_none() || length == 0);
}

#[test]
fn lengths_take_as_many_bytes_as_they_need() {
    check(0, &[4, 0]);
    check(1, &[4, 1]);
    check(0x7f, &[4, 0x7f]);
    check(0x80, &[4, 0x81, 0x80]);
    check(0xff, &[4, 0x81, 0xff]);
    check(0x100, &[4, 0x82, 1, 0]);
    check(0xffff, &[4, 0x82, 0xff, 0xff]);
    check(0x1_0203, &[4, 0x83, 1, 2, 3]);
    // Longer than they need to be, as BER allows.
    for (bytes, want) in [
        (&[4, 0x84, 0, 0, 0, 2, 8, 9][..], Some(&[8, 9][..])),
        (&[4, 0x81, 2, 8, 9], Some(&[8, 9])),
        (&[4, 0x80, 0, 0], None),
        (&[4, 0x85, 0, 0, 0, 0, 0], None),
        (&[4, 0x82, 0], None),
        (&[4, 2, 8], None),
        (&[4], None),
        (&[], None),
    ] {
        assert_eq!(Values(bytes).next().map(|value| value.body), want, "{bytes:?}");
    }
}

#[test]
fn a_value_is_taken_only_when_it_has_the_tag() {
    let bytes = [2, 1, 5, 0x30, 3, 4, 1, 6, 9];
    let mut values = Values(&bytes);
    assert!(values.tagged(OCTET_STRING).is_none());
    assert_eq!(values.tagged(INTEGER).map(|value| value.body), Some(&[5][..]));
    assert!(values.enter(INTEGER).is_none());
    let mut inside = values.enter(SEQUENCE).unwrap();
    assert_eq!(inside.tagged(OCTET_STRING).map(|value| value.body), Some(&[6][..]));
    assert!(inside.next().is_none() && values.next().is_none());
}

#[test]
fn pem_blocks_are_found_by_their_label() {
    let body: Vec<u8> = (0..100).collect();
    let text = to_pem("A", &body);
    let lines: Vec<usize> = text.lines().map(str::len).collect();
    assert_eq!(lines, ["-----BEGIN A-----".len(), 64, 64, 8, "-----END A-----".len()]);
    let all = format!("before\n{text}{}{}", to_pem("B", b"b"), to_pem("A", b"a"));
    assert_eq!(
        (pem(&all, "A"), pem(&all, "B"), pem(&all, "C")),
        (Some(body.clone()), Some(b"b".to_vec()), None)
    );
    assert_eq!(pems(&all, "A"), [body, b"a".to_vec()]);
    assert_eq!(pems("-----BEGIN A-----\n!\n-----END A-----", "A"), Vec::<Vec<u8>>::new());
    assert_eq!(pems("-----BEGIN A-----\nAAAA\n", "A"), Vec::<Vec<u8>>::new());
}

#[test]
fn digits_are_those_of_bytes() {
    assert_eq!(hex(&[0, 0x1f, 0xa9, 0xff]), "001fa9ff");
    assert_eq!(unhex("001fa9ff"), Some(vec![0, 0x1f, 0xa9, 0xff]));
    assert_eq!(unhex("0123456789abcdef").map(|bytes| hex(&bytes)).as_deref(), Some("0123456789abcdef"));
    for wrong in ["0", "0g", "FF", "0/", "0:", "0`", " 0", "\u{e4}"] {
        assert_eq!(unhex(wrong), None, "{wrong}");
    }
    // FIPS 180-4, "abc".
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(
        (Digest::of(b"abc").to_string(), format!("{:?}", Digest::of(b"abc"))),
        (abc.into(), abc.into())
    );
    assert_eq!(Digest::parse(abc), Some(Digest::of(b"abc")));
    assert_eq!((Digest::parse(&abc[2..]), Digest::parse("")), (None, None));
}
