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
