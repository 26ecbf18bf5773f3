//! Rows for escaped texts.

use super::*;

#[test]
fn values_are_decoded() {
    for (value, want) in [
        ("", ""),
        ("a+b", "a b"),
        ("%41%42", "AB"),
        ("100%", "100%"),
        ("%4", "%4"),
        ("%zz%41", "%zzA"),
        ("%c3%a9", "é"),
        ("%ff", "\u{fffd}"),
        ("41", "41"),
    ] {
        assert_eq!(text(value), want, "{value}");
    }
    assert_eq!(decoded("a+%2B", Plus::Itself), b"a++");
}
