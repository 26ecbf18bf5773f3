//! Rows for characters that have to be escaped in a JSON string.

use super::append_string;

#[track_caller]
fn check(value: &[u8], want: &str) {
    let mut out = Vec::new();
    append_string(value, &mut out);
    assert_eq!(String::from_utf8(out).unwrap(), format!("\"{want}\""), "{value:?}");
}

#[test]
fn strings_are_escaped() {
    check(b"", "");
    check("plain \u{e9} /\u{1f600}".as_bytes(), "plain \u{e9} /\u{1f600}");
    check(b"\"\\", r#"\"\\"#);
    check(b"\x08\x0c\n\r\t", r"\b\f\n\r\t");
    check(b"\x01\x1f\x7f ", r"\u0001\u001f\u007f ");
    // Invalid characters, and the form in which syslog-ng writes a zero.
    check(b"a\0b", r"a\\x00b");
    check(b"\xff\xc3(", r"\\xff\\xc3(");
}
