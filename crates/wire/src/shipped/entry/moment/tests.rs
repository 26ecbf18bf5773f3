//! Rows for times of shippers, on both sides of every unit.

use super::*;
use jiff::tz::TimeZone;

/// A time and its meaning: microseconds and offset.
#[track_caller]
fn check(text: &str, want: Option<(i64, i32)>) {
    let zone = TimeZone::fixed(jiff::tz::Offset::constant(2));
    let stamp = read(text.as_bytes(), &mut StampReader::new(zone));
    assert_eq!(stamp.map(|stamp| (stamp.unix_us, stamp.offset_s)), want, "{text}");
}

const US: i64 = 1_767_323_045_000_000;
const HOUR_US: i64 = 3_600_000_000;

#[test]
fn texts_have_a_zone_or_that_of_the_source() {
    check("2026-01-02T03:04:05Z", Some((US, 0)));
    check("2026-01-02T03:04:05.25Z", Some((US + 250_000, 0)));
    check("2026-01-02T03:04:05+01:30", Some((US - HOUR_US * 3 / 2, 5_400)));
    check("2026-01-02T03:04:05+0130", Some((US - HOUR_US * 3 / 2, 5_400)));
    check("2026-01-02T03:04:05.5-0130", Some((US + HOUR_US * 3 / 2 + 500_000, -5_400)));
    check("2026-01-02 03:04:05", Some((US - 2 * HOUR_US, 7_200)));
    check("2026-01-02T03:04:05+1234", Some((US - 12 * HOUR_US - 34 * 60_000_000, 12 * 3600 + 34 * 60)));
    for wrong in [
        "",
        "soon",
        "2026-01-02",
        "2026-01-02T03:04:05 ",
        "2026-01-02T03:04:05Zx",
        "2026-01-02T03:04:05+01",
        "2026-01-02T03:04:05+01300",
        "2026-01-02T03:04:05*0130",
        "2026-01-02T03:04:05+01x0",
    ] {
        check(wrong, None);
    }
}

#[test]
fn numbers_are_in_the_unit_that_fits_their_size() {
    for (text, want) in [
        ("0", Some(0)),
        ("-1", Some(-1_000_000)),
        ("99999999999", Some(99_999_999_999_000_000)),
        ("100000000000", Some(100_000_000_000_000)),
        ("-100000000000", Some(-100_000_000_000_000)),
        ("99999999999999", Some(99_999_999_999_999_000)),
        ("100000000000000", Some(100_000_000_000_000)),
        ("99999999999999999", Some(99_999_999_999_999_999)),
        ("100000000000000000", Some(100_000_000_000_000)),
        ("100000000000000999", Some(100_000_000_000_000)),
        ("9223372036854775807", Some(9_223_372_036_854_775)),
        ("9223372036854775808", None),
        ("1.5", Some(1_500_000)),
        ("1.000001", Some(1_000_001)),
        ("1.0000019", Some(1_000_001)),
        ("1.", Some(1_000_000)),
        ("-1.25", Some(-1_250_000)),
        ("-0.5", Some(-500_000)),
        ("99999999999.5", Some(99_999_999_999_500_000)),
        ("100000000000.5", Some(100_000_000_000_000)),
        ("1.x", None),
        ("1.5x", None),
        ("x.5", None),
        (".5", None),
        ("1e3", Some(1_000_000_000)),
        ("1.5E3", Some(1_500_000_000)),
        ("-1e3", Some(-1_000_000_000)),
        ("1e12", Some(1_000_000_000_000_000)),
        ("1e17", Some(100_000_000_000_000)),
        ("1e18", None),
        ("-1e18", None),
        ("e", None),
        ("1e", None),
    ] {
        assert_eq!(number(text.as_bytes()), want, "{text}");
    }
    assert_eq!(number(b"\xff"), None);
}

#[test]
fn nanoseconds_are_of_after_1970() {
    for (nanos, want) in [
        (0, None),
        (999, None),
        (1_000, Some(1)),
        (1_999, Some(1)),
        (1_767_323_045_000_000_999, Some(US)),
        (u64::MAX, Some(18_446_744_073_709_551)),
    ] {
        assert_eq!(from_nanos(nanos), want.map(|unix_us| Stamp::known(unix_us, 0)), "{nanos}");
    }
}
