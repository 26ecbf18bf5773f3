//! Rows for what is written, rewound and counted.

use super::*;

fn output(framing: StreamFraming, messages: &[&str]) -> Output {
    let mut output = Output::default();
    messages.iter().for_each(|text| output.push(framing, |bytes| bytes.extend_from_slice(text.as_bytes())));
    output
}

#[track_caller]
fn check(framing: StreamFraming, messages: &[&str], want: &str) {
    assert_eq!(String::from_utf8_lossy(output(framing, messages).rest()), want);
}

#[test]
fn frames_messages() {
    check(StreamFraming::Plain, &["a\n", "b\n"], "a\nb\n");
    check(StreamFraming::OctetCounted, &["abc\n", "0123456789"], "3 abc10 0123456789");
    check(StreamFraming::OctetCounted, &["x\n\n"], "2 x\n");
}

#[track_caller]
fn check_rewind(written: usize, want: &str, messages: usize) {
    let mut output = output(StreamFraming::Plain, &["one\n", "two\n", "three\n"]);
    output.advance(written);
    assert_eq!(output.messages(), messages);
    output.rewind();
    assert_eq!(String::from_utf8_lossy(output.rest()), want);
}

#[test]
fn a_new_connection_starts_with_a_whole_message() {
    check_rewind(0, "one\ntwo\nthree\n", 3);
    check_rewind(3, "one\ntwo\nthree\n", 3);
    check_rewind(4, "two\nthree\n", 2);
    check_rewind(6, "two\nthree\n", 2);
    check_rewind(13, "three\n", 1);
    check_rewind(14, "", 0);
}

#[test]
fn a_part_is_of_whole_messages() {
    let mut output = output(StreamFraming::Plain, &["one\n", "two\n", "three\n"]);
    let part = |output: &Output, size| String::from_utf8_lossy(output.part(size)).into_owned();
    assert_eq!(part(&output, 0), "one\n");
    assert_eq!(part(&output, 4), "one\n");
    assert_eq!(part(&output, 5), "one\ntwo\n");
    assert_eq!(part(&output, usize::MAX), "one\ntwo\nthree\n");
    output.advance(2);
    assert_eq!((part(&output, 1), part(&output, 3)), ("e\n".to_owned(), "e\ntwo\n".to_owned()));
}

#[test]
fn targets_that_take_one_message_at_a_time_find_each() {
    let mut output = output(StreamFraming::Plain, &["one\n", "two\n", "three\n"]);
    let text = |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.is_at_message());
    for (offset, want) in [(0, Some("one\n")), (4, Some("two\n")), (8, Some("three\n")), (14, None)] {
        assert_eq!(text(output.message_at(offset)).as_deref(), want, "{offset}");
    }
    assert_eq!((output.amount(), output.size()), ((3, 14), 14));
    for (size, next, is_at_message, amount) in [
        (2, Some("e\n"), false, (3, 12)),
        (2, Some("two\n"), true, (2, 10)),
        (4, Some("three\n"), true, (1, 6)),
        (1, Some("hree\n"), false, (1, 5)),
    ] {
        output.advance(size);
        assert_eq!(text(output.next_message()).as_deref(), next);
        assert_eq!((output.is_at_message(), output.amount()), (is_at_message, amount));
    }
    output.advance(5);
    assert_eq!((output.next_message(), output.amount(), output.is_at_message()), (None, (0, 0), true));
}

#[test]
fn messages_are_numbered_as_they_are_rendered() {
    let mut output = Output::default();
    let (mut sequence, mut template) = (4, crate::testing::Text("$MSG\n".to_owned()));
    let some = crate::testing::delivery(&["h|a", "h|b", "h|c"], message::Ack::none(), true);
    let mut selection = some.selection.clone();
    selection.remove(1);
    output.add((&some.batch, &selection), &mut template, StreamFraming::OctetCounted, &mut sequence);
    assert_eq!((output.rest(), sequence), (&b"1 a1 c"[..], 6));
    output.clear();
    assert_eq!((output.size(), output.messages()), (0, 0));
}
