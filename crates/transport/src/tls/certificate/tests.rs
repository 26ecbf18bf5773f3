//! Rows for names and times, from elements that the tests write themselves (X.690, RFC 5280).

use super::*;
use crate::testing::Pki;
use rcgen::date_time_ymd;
use std::fs;

const UTF8: u8 = 0x0c;
const PRINTABLE: u8 = 0x13;
const LATIN1: u8 = 0x14;
const BMP: u8 = 0x1e;
const OID: u8 = 0x06;
const UTC: u8 = 0x17;
const GENERALIZED: u8 = 0x18;

fn element(tag: u8, content: &[u8]) -> Vec<u8> {
    assert!(content.len() < 128);
    [&[tag, content.len() as u8], content].concat()
}

fn attribute(oid: &[u8], tag: u8, value: &[u8]) -> Vec<u8> {
    element(SET, &element(SEQUENCE, &[element(OID, oid), element(tag, value)].concat()))
}

#[track_caller]
fn names(subject: &[u8], want: &str) {
    assert_eq!(Identity { parts: parts(subject) }.distinguished_name(), want);
}

#[test]
fn parts_of_a_name_by_their_kinds() {
    let common = &[0x55, 4, 3];
    for (oid, want) in [
        (&[0x55, 4, 4][..], "SN=x"),
        (&[0x55, 4, 10], "O=x"),
        (&[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 25], "DC=x"),
        (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1], "emailAddress=x"),
        (&[0x55, 4, 99], "2.5.4.99=x"),
    ] {
        names(&attribute(oid, UTF8, b"x"), want);
    }
    let both = [attribute(&[0x55, 4, 6], PRINTABLE, b"HU"), attribute(common, UTF8, b"h")].concat();
    names(&both, "CN=h, C=HU");
    // Elements of another form are left out, and the rest is read.
    let strange = [element(OID, common), element(SET, &element(OID, common)), attribute(common, UTF8, b"a")];
    names(&strange.concat(), "CN=a");
    let short = element(SET, &element(SEQUENCE, &element(OID, common)));
    names(&[short, attribute(common, UTF8, b"b")].concat(), "CN=b");
    let many = attribute(common, UTF8, b"m").repeat(PARTS_MAX + 1);
    assert_eq!(parts(&many).len(), PARTS_MAX);
}

#[test]
fn the_last_part_of_a_kind_counts() {
    let common = &[0x55, 4, 3];
    let subject = [attribute(common, UTF8, b"outer"), attribute(common, UTF8, b"inner")].concat();
    let identity = Identity { parts: parts(&subject) };
    assert_eq!((identity.part("CN"), identity.part("O")), (Some("inner"), None));
}

#[test]
fn texts_in_each_encoding() {
    let common = &[0x55, 4, 3];
    for (tag, bytes, want) in [
        (UTF8, "árvíz".as_bytes(), "CN=árvíz"),
        (UTF8, b"a\xff", "CN=a\u{fffd}"),
        (PRINTABLE, b"plain", "CN=plain"),
        (PRINTABLE, "ő".as_bytes(), "CN=ő"),
        (LATIN1, b"\xe1rv", "CN=árv"),
        (BMP, b"\x01\x51\x00a", "CN=őa"),
        (BMP, b"\xd8\x3d\xde\x00", "CN=😀"),
        (BMP, b"\xd8\x3d\x00a\x00", "CN=\u{fffd}a"),
    ] {
        names(&attribute(common, tag, bytes), want);
    }
}

#[test]
fn marks_what_could_be_taken_for_the_end_of_a_part() {
    for (value, want) in [
        ("a, b", "a\\, b"),
        (" a b ", "\\ a b\\ "),
        ("#a#", "\\#a#"),
        ("a+b\"c\\d<e>f;g", "a\\+b\\\"c\\\\d\\<e\\>f\\;g"),
        ("á ", "á\\ "),
        (" ", "\\ "),
        ("a=b", "a=b"),
        ("", ""),
    ] {
        assert_eq!(escaped(value), want);
    }
}

#[test]
fn object_identifiers_in_numbers() {
    for (oid, want) in [
        (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d][..], "1.2.840.113549"),
        (&[0x00], "0.0"),
        (&[39], "0.39"),
        (&[40], "1.0"),
        (&[79, 1], "1.39.1"),
        (&[80], "2.0"),
        (&[0x88, 0x37, 3], "2.999.3"),
        (&[0x2a, 0x86], "1.2"),
        (&[], ""),
    ] {
        assert_eq!(dotted(oid), want);
    }
}

#[track_caller]
fn check_time(tag: u8, text: &str, want: Option<i64>) {
    assert_eq!(seconds(Element { tag, content: text.as_bytes() }), want, "{text}");
}

#[test]
fn times_of_both_forms() {
    check_time(UTC, "700101000000Z", Some(0));
    check_time(UTC, "700101000001Z", Some(1));
    check_time(UTC, "491231235959Z", Some(2_524_607_999));
    check_time(UTC, "500101000000Z", Some(-631_152_000));
    check_time(GENERALIZED, "19700102000000Z", Some(86_400));
    check_time(GENERALIZED, "20500101000000Z", Some(2_524_608_000));
    for text in ["", "Z", "7", "700101000000", "700101000000+0100", "701301000000Z", "7001010000Z", "ő0101Z"]
    {
        check_time(UTC, text, None);
        check_time(GENERALIZED, text, None);
    }
}

#[test]
fn elements_end_where_they_are_malformed() {
    let read = |bytes: &[u8]| Elements(bytes).map(|one| (one.tag, one.content.len())).collect::<Vec<_>>();
    let long = |head: &[u8], size: usize| [head, &vec![0; size]].concat();
    assert_eq!(read(&[4, 1, 9, 5, 0]), [(4, 1), (5, 0)]);
    assert_eq!(read(&long(&[4, 0x7f], 127)), [(4, 127)]);
    assert_eq!(read(&long(&[4, 0x81, 0x80], 128)), [(4, 128)]);
    assert_eq!(read(&long(&[4, 0x82, 1, 3], 259)), [(4, 259)]);
    assert_eq!(read(&long(&[4, 0x84, 0, 0, 1, 2], 258)), [(4, 258)]);
    for malformed in [
        &[4][..],
        &[4, 2, 0],
        &[4, 0x80, 0, 0],
        &[4, 0x85, 0, 0, 0, 0, 1, 0],
        &[4, 0x82, 0],
        &[4, 0x84, 0xff, 0xff, 0xff, 0xff],
    ] {
        assert_eq!(read(malformed), [], "{malformed:?}");
        assert_eq!(read(&[&[5, 0], malformed].concat()), [(5, 0)], "{malformed:?}");
    }
    let mut elements = Elements(&[4, 1, 9, 5, 0]);
    assert_eq!(elements.next_if(5), None);
    assert_eq!(elements.next_if(4).map(|one| one.content), Some(&[9][..]));
    assert_eq!(elements.next_if(5).map(|one| one.tag), Some(5));
    assert_eq!(elements.next_if(5), None);
}

#[test]
fn a_subject_is_a_sequence() {
    let certificate = |version: &[u8], subject: Vec<u8>| {
        let fields = [version, &element(2, &[1]), &element(SEQUENCE, &[]), &element(SEQUENCE, &[])];
        let rest = [element(SEQUENCE, &[]), subject];
        element(SEQUENCE, &element(SEQUENCE, &[fields.concat(), rest.concat()].concat()))
    };
    let name = attribute(&[0x55, 4, 3], UTF8, b"h");
    for version in [&element(VERSION, &[2, 1, 2])[..], &[]] {
        let read = |tag| Identity::of(&certificate(version, element(tag, &name))).distinguished_name();
        assert_eq!((read(SEQUENCE).as_str(), read(SET).as_str()), ("CN=h", ""));
    }
    assert_eq!(Identity::of(b"hello"), Identity::default());
}

#[test]
fn certificates_in_files_have_a_lifetime_and_names() {
    let pki = Pki::new();
    let hosts = ["logs.example", "*.logs.example", "192.0.2.7"];
    pki.issue("both", &hosts, |params| {
        params.not_before = date_time_ymd(2001, 2, 3);
        params.not_after = date_time_ymd(2060, 1, 1);
    });
    let file = pki.path("both.pem");
    assert_eq!(lifetime(&file).unwrap(), Some((981_158_400, 2_840_140_800)));
    assert_eq!(dns_names(&file).unwrap(), hosts[..2]);
    // The first one counts.
    let text = [fs::read(&file).unwrap(), fs::read(pki.path("client.pem")).unwrap()].concat();
    fs::write(pki.path("chain.pem"), text).unwrap();
    assert_eq!(dns_names(&pki.path("chain.pem")).unwrap(), hosts[..2]);
    let error = |path: &Path| lifetime(path).unwrap_err().to_string();
    assert!(error(&pki.path("none")).starts_with("cannot read "));
    assert!(error(&pki.path("client.key")).contains("there is no certificate in it"));
}
