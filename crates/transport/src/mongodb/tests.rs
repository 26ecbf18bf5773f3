//! Documents and messages, written and read.

use super::*;
use crate::endpoint::Breach;

/// Shows a document.
fn shown(document: Document<'_>) -> String {
    let mut parts = Vec::new();
    for element in document.elements() {
        parts.push(match element {
            Ok((name, value)) => {
                let value = match value {
                    Value::Document(inner) => shown(inner),
                    Value::Array(inner) => format!("[{}]", shown(inner)),
                    Value::Text(text) => format!("'{}'", String::from_utf8_lossy(text)),
                    value => format!("{value:?}"),
                };
                format!("{}: {value}", String::from_utf8_lossy(name))
            }
            Err(Breach(what)) => what.to_owned(),
        });
    }
    format!("{{{}}}", parts.join(", "))
}

fn written(fill: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut out = Vec::new();
    Writer::whole(&mut out, fill);
    out
}

#[test]
fn what_is_written_is_read() {
    let bytes = written(|writer| {
        writer.put(b"a", "\u{20ac}\0x");
        writer.put(b"b", -1);
        writer.put(b"c", 1_i64 << 40);
        writer.put(b"d", Scalar::Double(1.5));
        writer.put(b"e", true);
        writer.put(b"f", Scalar::Datetime(1000));
        writer.put(b"g", Scalar::Null);
        writer.put(b"h", Scalar::Binary(b"\x01\x02"));
        writer.document(b"i", |inner| inner.put(b"_id", Scalar::Uuid(1)));
        writer.array(b"j", 2, |inner, index, name| inner.put(name, index as i64));
        writer.elements(&[0x0a, b'k', 0]);
    });
    let (document, rest) = Document::split(&bytes).unwrap();
    assert!(rest.is_empty());
    assert_eq!(
        shown(document),
        "{a: '\u{20ac}\0x', b: Integer(-1), c: Integer(1099511627776), d: Double(1.5), e: Boolean(true), f: Other, g: Other, \
         h: Binary([1, 2]), i: {_id: Binary([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])}, \
         j: [{0: Integer(0), 1: Integer(1)}], k: Other}"
    );
    assert_eq!(document.number("d"), Ok(Some(1)));
    assert_eq!(document.number("e"), Ok(Some(1)));
    assert_eq!(document.number("a"), Ok(None));
    assert_eq!(document.text("zz"), Ok(None));
}

/// The example of bsonspec.org.
#[test]
fn bytes_are_those_of_the_specification() {
    let bytes = written(|writer| writer.put(b"hello", "world"));
    assert_eq!(bytes, b"\x16\0\0\0\x02hello\0\x06\0\0\0world\0\0");
    let bytes = written(|writer| {
        writer.array(b"BSON", 3, |inner, index, name| match index {
            0 => inner.put(name, "awesome"),
            1 => inner.put(name, Scalar::Double(5.05)),
            _ => inner.put(name, 1986),
        });
    });
    let want =
        b"1\0\0\0\x04BSON\0&\0\0\0\x020\0\x08\0\0\0awesome\0\x011\x00333333\x14@\x102\0\xc2\x07\0\0\0\0";
    assert_eq!(bytes, want);
}

#[track_caller]
fn check(elements: &[u8], want: &str) {
    let mut bytes = (elements.len() as u32 + 5).to_le_bytes().to_vec();
    bytes.extend_from_slice(elements);
    bytes.push(0);
    let found = Document::split(&bytes).map(|(document, _)| shown(document));
    assert_eq!(found.unwrap_or_else(|Breach(what)| what.to_owned()), want, "{elements:?}");
}

#[test]
fn values_of_every_type_are_passed_over() {
    check(b"\x07a\x00123456789012\x0ab\0", "{a: Other, b: Other}");
    check(b"\x0ba\0x\0i\0\x0cb\0\x02\0\0\0x\x00123456789012", "{a: Other, b: Other}");
    check(b"\x0da\0\x01\0\0\0\0\x0fb\0\x05\0\0\0x\x11c\x0012345678", "{a: Other, b: Other, c: Other}");
    check(b"\x13a\x001234567890123456\xffb\0", "{a: Other, b: Other}");
    check(b"\x20a\0", "{a value is of no known type}");
    check(b"\x02a\0\xff\xff\xff\xff", "{a size is negative}");
    check(b"\x02a\0\x09\0\0\0x\0", "{a document ends too early}");
    check(b"\x02a\0\x01\0\0\0x", "{a text has no end}");
    check(b"\x02a", "{a name has no end}");
    check(b"\x03a\0\x04\0\0\0\0", "{a document is too short}");
    check(b"\x03a\0\x05\0\0\0x", "{a document has no end}");
    check(b"\x0fa\0\x01\0\0\0x", "{a size is too small}");
}

#[track_caller]
fn check_reply(bytes: &[u8], want: &str) {
    let found = match decode(bytes, 100) {
        Ok(Some((reply, size))) => format!("{} {size} {}", reply.to, shown(reply.body)),
        Ok(None) => "not whole".to_owned(),
        Err(Breach(what)) => what.to_owned(),
    };
    assert_eq!(found, want);
}

/// An answer to the command 7 with flags and what follows them.
fn reply(kind: u32, flags: u32, sections: &[u8]) -> Vec<u8> {
    let mut bytes = (sections.len() as u32 + 20).to_le_bytes().to_vec();
    for word in [1, 7, kind, flags] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(sections);
    bytes
}

#[test]
fn answers_are_whole_or_not_yet() {
    let body = [&[0][..], &written(|writer| writer.put(b"ok", true))].concat();
    let whole = reply(2013, 0, &body);
    check_reply(&whole, "7 31 {ok: Boolean(true)}");
    check_reply(&[&whole[..], b"more"].concat(), "7 31 {ok: Boolean(true)}");
    for size in 0..whole.len() {
        check_reply(&whole[..size], "not whole");
    }
    check_reply(&reply(2013, 1, &[&body[..], b"sums"].concat()), "7 35 {ok: Boolean(true)}");
    check_reply(&reply(2013, 0x10000, &body), "7 31 {ok: Boolean(true)}");
    check_reply(&reply(2013, 2, &body), "an answer has flags that nobody asked for");
    check_reply(&reply(2013, 4, &body), "an answer has flags that nobody asked for");
    check_reply(&reply(2013, 0, &[&body[..], b"x"].concat()), "an answer is longer than its document");
    check_reply(&reply(2013, 0, b"\x01"), "an answer has no document");
    check_reply(&reply(2013, 0, b""), "an answer has no document");
    check_reply(&reply(2013, 1, b""), "an answer is too short");
    check_reply(&reply(1, 0, b""), "it is older than MongoDB 3.6");
    check_reply(&reply(2012, 0, b""), "this is no answer of MongoDB");
    check_reply(b"HTTP/1.1 400 Bad Request\r\n", "this is no answer of MongoDB");
    check_reply(&reply(2013, 0, &[0; 81]), "its answer is too long");
    let mut short = whole.clone();
    short[0] = 15;
    check_reply(&short, "an answer is too short");
}

#[test]
fn a_command_has_its_documents_behind_it() {
    let mut out = vec![9];
    let document = written(|writer| writer.put(b"a", Scalar::Null));
    command(3, &mut out, Some(("documents", &document)), |writer| writer.put(b"insert", "c"));
    let want = b"\x09\x3f\0\0\0\x03\0\0\0\0\0\0\0\xdd\x07\0\0\0\0\0\0\
        \0\x13\0\0\0\x02insert\0\x02\0\0\0c\0\0\
        \x01\x16\0\0\0documents\0\x08\0\0\0\x0aa\0\0";
    assert_eq!(out, want);
}
