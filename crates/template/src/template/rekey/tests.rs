//! Rows for changes of names.

use super::Rekey;

#[track_caller]
fn check(change: Rekey, name: &str, want: &str) {
    let mut bytes = name.as_bytes().to_vec();
    change.apply(&mut bytes);
    assert_eq!(String::from_utf8(bytes).unwrap(), want, "{change:?} of {name}");
}

#[test]
fn names_change() {
    check(Rekey::Shift(0), "abc", "abc");
    check(Rekey::Shift(2), "abc", "c");
    check(Rekey::Shift(3), "abc", "");
    check(Rekey::Shift(9), "abc", "");
    check(Rekey::ShiftLevels(1), "a.b.c", "b.c");
    check(Rekey::ShiftLevels(2), "a.b.c", "c");
    check(Rekey::ShiftLevels(3), "a.b.c", "a.b.c");
    check(Rekey::ShiftLevels(1), ".a.b", "a.b");
    check(Rekey::AddPrefix("x.".into()), "a", "x.a");
    check(Rekey::ReplacePrefix("a.".into(), "".into()), "a.b", "b");
    check(Rekey::ReplacePrefix("a.".into(), "x-".into()), "b.a.c", "b.a.c");
    check(Rekey::Lower, "AbC", "abc");
    check(Rekey::Upper, "AbC", "ABC");
}
