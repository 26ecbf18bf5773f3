//! Events and answers.

use super::*;
use crate::endpoint::Breach;

#[test]
fn an_event_has_the_fields_of_the_definition() {
    let mut event = EventWriter::default();
    event.seconds(300);
    event.state(b"ok");
    event.tag(b"a");
    event.ttl(1.0);
    event.metric(Metric::Integer(-3));
    event.metric(Metric::Double(0.5));
    event.attribute(b"k", b"v");
    let event = event.finish();
    let want = b"\x08\xac\x02\x12\x02ok\x3a\x01a\x45\0\0\x80\x3f\x68\x05\x71\0\0\0\0\0\0\xe0\x3f\x4a\x06\x0a\x01k\x12\x01v";
    assert_eq!(event, want);
    let mut other = EventWriter::default();
    other.microseconds(1);
    other.host(b"h");
    other.service(b"s");
    other.description(b"d");
    let mut message = Vec::new();
    append_event(&other.finish(), &mut message);
    assert_eq!(framed(&message), b"\0\0\0\x0d\x32\x0b\x50\x01\x22\x01h\x1a\x01s\x2a\x01d");
}

#[track_caller]
fn check(bytes: &[u8], want: Result<Option<(Answer, usize)>, &'static str>) {
    assert_eq!(decode(bytes, 100).map_err(|Breach(what)| what), want, "{bytes:?}");
}

#[test]
fn an_answer_takes_or_refuses() {
    check(b"\0\0\0\x02\x10\x01", Ok(Some((Answer::Taken, 6))));
    check(b"\0\0\0\0more", Ok(Some((Answer::Taken, 4))));
    check(b"\0\0\0\x02\x10\0", Ok(Some((Answer::Refused(String::new()), 6))));
    check(b"\0\0\0\x06\x10\0\x1a\x02no", Ok(Some((Answer::Refused("no".to_owned()), 10))));
    check(b"\0\0\0\x04\x1a\x02no", Ok(Some((Answer::Refused("no".to_owned()), 8))));
    // Fields that nobody asked about.
    check(
        b"\0\0\0\x13\x09\x31\x32\x33\x34\x35\x36\x37\x38\x15\x31\x32\x33\x34\x32\x01x\x10\x01",
        Ok(Some((Answer::Taken, 23))),
    );
    check(b"\0\0\0\x02\x10", Ok(None));
    check(b"\0\0\0", Ok(None));
    check(b"\0\0\0\x01\x10", Err("an answer ends too early"));
    check(b"\0\0\0\x02\x1a\x05", Err("an answer ends too early"));
    check(b"\0\0\0\x01\x03", Err("an answer has a field of no known kind"));
    check(b"\0\0\0\x02\x13\0", Err("an answer has a field of no known kind"));
    check(&[b"\0\0\0\x0c\x10".as_slice(), &[0xff; 11]].concat(), Err("a number has no end"));
    check(b"HTTP/1.1 400", Err("its answer is too long, or this is no server of Riemann"));
}
