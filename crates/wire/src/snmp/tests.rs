//! Rows of values, and a whole trap.

use super::*;

#[track_caller]
fn check(kind: &str, text: &str, want: &[u8]) {
    let mut value = Vec::new();
    let tag = encode(SnmpKind::from_name(kind).unwrap(), text.as_bytes(), &mut value);
    let mut whole = Vec::new();
    append(tag, &value, &mut whole);
    assert_eq!(whole, want, "{kind} {text}");
}

#[test]
fn values_have_their_types() {
    check("Integer", "0", &[2, 1, 0]);
    check("integer", "127", &[2, 1, 0x7f]);
    check("integer", "128", &[2, 2, 0, 0x80]);
    check("integer", "-129", &[2, 2, 0xff, 0x7f]);
    check("integer", "-2147483648", &[2, 4, 0x80, 0, 0, 0]);
    check("integer", "many", &[2, 1, 0]);
    check("timeticks", "97881", &[0x43, 3, 1, 0x7e, 0x59]);
    check("counter32", "4294967295", &[0x41, 5, 0, 0xff, 0xff, 0xff, 0xff]);
    check("counter32", "-1", &[0x41, 1, 0]);
    check("octetstring", "h\u{e9}", &[4, 3, b'h', 0xc3, 0xa9]);
    check("octetstring", "", &[4, 0]);
    check("ipaddress", "192.0.2.7", &[0x40, 4, 192, 0, 2, 7]);
    check("ipaddress", "here", &[0x40, 4, 0, 0, 0, 0]);
    check("Objectid", ".1.3.6.1.4.1.8072.2", &[6, 8, 0x2b, 6, 1, 4, 1, 0xbf, 0x08, 2]);
    check("objectid", "none", &[6, 1, 0]);
    assert_eq!(SnmpKind::from_name("gauge"), None);
}

#[test]
fn names_are_numbers_with_dots() {
    for (text, want) in [
        ("1.3", Some(&[0x2b][..])),
        (".2.999.3", Some(&[0x88, 0x37, 3])),
        ("1.3.4294967295", Some(&[0x2b, 0x8f, 0xff, 0xff, 0xff, 0x7f])),
        ("", None),
        ("1", None),
        ("1.40", None),
        ("3.1", None),
        ("1.3.", None),
        ("1..3", None),
        ("1.3.4294967296", None),
        ("2.4294967295", None),
        ("1.x", None),
    ] {
        assert_eq!(ObjectId::parse(text).map(|name| name.0), want.map(<[u8]>::to_vec), "{text}");
    }
    assert_eq!(ObjectId::parse(&["1"; 129].join(".")), None);
}

#[test]
fn a_trap_is_one_datagram() {
    let mut trap = Trap::default();
    let name = |text: &str| ObjectId::parse(text).unwrap();
    trap.add(&name("1.3.6.1.2.1.1.3.0"), SnmpKind::TimeTicks, b"5");
    trap.add(&name("1.3.6.1.6.3.1.1.4.1.0"), SnmpKind::ObjectId, b".1.3.6.1.6.3.1.1.5.3");
    let mut out = Vec::new();
    trap.finish(b"public", 300, &mut out);
    let want = [
        &[0x30, 0x41, 2, 1, 1, 4, 6][..],
        b"public",
        &[0xa7, 0x34, 2, 2, 1, 0x2c, 2, 1, 0, 2, 1, 0, 0x30, 0x28],
        &[0x30, 0x0d, 6, 8, 0x2b, 6, 1, 2, 1, 1, 3, 0, 0x43, 1, 5],
        &[0x30, 0x17, 6, 0x0a, 0x2b, 6, 1, 6, 3, 1, 1, 4, 1, 0, 6, 9, 0x2b, 6, 1, 6, 3, 1, 1, 5, 3],
    ];
    assert_eq!(out, want.concat(), "{out:02x?}");
    // The next one contains nothing of it; a long one has a long length.
    let mut next = Vec::new();
    trap.add(&name("1.3"), SnmpKind::OctetString, &[b'x'; 300]);
    trap.finish(b"", 1, &mut next);
    assert_eq!(next[..4], [0x30, 0x82, 1, 0x4d]);
    assert_eq!(next.len(), 4 + 0x14d);
}
