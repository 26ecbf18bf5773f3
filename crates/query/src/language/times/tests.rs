//! Rows of times as written.

use super::{parse_duration, time_span};

const NOW: i64 = 1_780_000_000_000_000;

#[track_caller]
fn check(text: &str, want: Option<(i64, i64)>) {
    let span = time_span(text, NOW, 3_600).map(|span| (span.start, span.end - span.start));
    assert_eq!(span, want, "{text}");
}

#[test]
fn reads_times() {
    check("now", Some((NOW, 1)));
    check("now-1h", Some((NOW - 3_600_000_000, 1)));
    check("now-1h30m", Some((NOW - 5_400_000_000, 1)));
    check("now+3d-12h", Some((NOW + 216_000_000_000, 1)));
    check("1780000000", Some((NOW, 1_000_000)));
    check("1780000000.25", Some((NOW + 250_000, 10_000)));
    check("2026-05-28T20:26:40Z", Some((NOW, 1_000_000)));
    check("2026-05-28T21:26:40", Some((NOW, 1_000_000)));
    check("2026-05-28T22:26:40+02:00", Some((NOW, 1_000_000)));
    check("2026-05-28T20:26:40.5Z", Some((NOW + 500_000, 100_000)));
    check("2026-05-28T21:26", Some((NOW - 40_000_000, 60_000_000)));
    check("1970-01-02", Some((82_800_000_000, 86_400_000_000)));
}

#[test]
fn refuses_invalid_times() {
    for text in
        ["", "now-", "now-1", "now-1x", "nowhere", "later", "2026-13-01", "1.1.1", "99999999999999999999"]
    {
        check(text, None);
    }
}

#[test]
fn reads_durations() {
    let rows = [("5m", Some(300_000_000)), ("-1h30m", Some(-5_400_000_000)), ("500ms", Some(500_000))];
    for (text, want) in
        rows.into_iter().chain([("7", Some(7_000_000)), ("", None), ("m", None), ("5 m", None)])
    {
        assert_eq!(parse_duration(text), want, "{text}");
    }
}
