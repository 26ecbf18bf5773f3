//! Rows for the time in a time-stamp.

use super::time;

#[track_caller]
fn check(text: &str, want: Option<i64>) {
    assert_eq!(time(text.as_bytes()), want, "{text}");
}

#[test]
fn times_have_any_fraction_of_a_second_and_are_of_greenwich() {
    let us = 1_767_225_600_000_000;
    check("20260101000000Z", Some(us));
    check("20260101000000.5Z", Some(us + 500_000));
    check("20260101000000.123456Z", Some(us + 123_456));
    check("20260101000000.1234567Z", Some(us + 123_456));
    check("19691231235959Z", Some(-1_000_000));
    for wrong in [
        "",
        "Z",
        "20260101000000",
        "2026010100000Z",
        "202601010000000Z",
        "20261301000000Z",
        "20260101250000Z",
        "20260101000000+0100",
        "2026010100000xZ",
        "20260101000000.5xZ",
    ] {
        check(wrong, None);
    }
}
