//! Forms of times, and texts that only look like one.

use super::*;

const RECEIVED: Stamp = Stamp { unix_us: 1_795_000_000_000_000, offset_s: 0, quality: ZoneQuality::Known };

/// Reads a time; shows it in UTC and how many bytes it has.
fn read(text: &str) -> Option<(String, usize)> {
    let mut reader = StampReader::new(TimeZone::UTC);
    let (stamp, length) = reader.legacy(text.as_bytes(), 0, RECEIVED)?;
    Some((Timestamp::from_microsecond(stamp.unix_us).unwrap().to_string(), length))
}

#[track_caller]
fn check(text: &str, want: &str, length: usize) {
    assert_eq!(read(text), Some((want.to_owned(), length)), "{text}");
}

/// Checks that a text is no longer a time when one of these characters is changed.
#[track_caller]
fn check_parts(text: &str, places: &[usize]) {
    assert!(read(text).is_some(), "{text}");
    for place in places {
        let mut other = text.to_owned();
        other.replace_range(place..&(place + 1), "x");
        assert_eq!(read(&other), None, "{other}");
    }
}

#[test]
fn outlines() {
    check("Nov 21 09:08:07", "2026-11-21T09:08:07Z", 15);
    check("Nov 21 09:08:07.25 x", "2026-11-21T09:08:07.25Z", 18);
    check("Nov 21 09:08:07: x", "2026-11-21T09:08:07Z", 16);
    check("Nov  1 09:08:07 x", "2026-11-01T09:08:07Z", 15);
    check("Nov 1 09:08:07", "2026-11-01T09:08:07Z", 14);
    check("Nov 1 09:08:07 x", "2026-11-01T09:08:07Z", 14);
    check("Nov 21 2025 09:08:07: x", "2025-11-21T09:08:07Z", 21);
    check("Nov 21 2025 09:08:07 x", "2025-11-21T09:08:07Z", 20);
    check("Nov 21 09:08:07 2025 x", "2025-11-21T09:08:07Z", 20);
    check("2025-11-21T09:08:07", "2025-11-21T09:08:07Z", 19);
    check("2025-11-21 09:08:07.5Z x", "2025-11-21T09:08:07.5Z", 22);
    check("2025-11-21T09:08:07+01:00 x", "2025-11-21T08:08:07Z", 25);
}

#[test]
fn separators_between_the_numbers_matter() {
    check_parts("Nov 21 09:08:07", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
    check_parts("Nov 1 09:08:07 x", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    check_parts("Nov 21 2025 09:08:07: x", &[0, 3, 4, 6, 7, 10, 11, 12, 14, 15, 17, 18, 19, 20]);
    check_parts("2025-11-21T09:08:07Z", &[0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]);
    // Without a year after it, it is a time of this year.
    check("Nov 21 09:08:07 202x x", "2026-11-21T09:08:07Z", 15);
    check("Nov 21 09:08:07x2025 x", "2026-11-21T09:08:07Z", 15);
    check("Nov 21 09:08:07 2025x", "2026-11-21T09:08:07Z", 15);
    check("Nov 21 09:08:07 2025", "2026-11-21T09:08:07Z", 15);
    for text in ["Nov   09:08:07 x", "Nov 1", "2025-11-21T09:08:0", "Nov 21 2025 09:08:07", ""] {
        assert_eq!(read(text), None, "{text}");
    }
}

#[test]
fn years_turn_with_the_clock_of_the_sender() {
    let at = |received: &str, text: &str| {
        let received: Timestamp = received.parse().unwrap();
        let received = Stamp { unix_us: received.as_microsecond(), ..RECEIVED };
        let mut reader = StampReader::new(TimeZone::UTC);
        let (stamp, _) = reader.legacy(text.as_bytes(), 0, received).unwrap();
        Timestamp::from_microsecond(stamp.unix_us).unwrap().to_string()
    };
    for (received, text, want) in [
        ("2026-01-01T00:00:05Z", "Dec 31 23:59:59", "2025-12-31T23:59:59Z"),
        ("2026-12-31T23:59:55Z", "Jan  1 00:00:01", "2027-01-01T00:00:01Z"),
        ("2026-02-01T00:00:05Z", "Dec 31 23:59:59", "2026-12-31T23:59:59Z"),
        ("2026-11-30T23:59:55Z", "Jan  1 00:00:01", "2026-01-01T00:00:01Z"),
        ("2026-01-31T00:00:05Z", "Jan 31 00:00:00", "2026-01-31T00:00:00Z"),
    ] {
        assert_eq!(at(received, text), want);
    }
}

#[test]
fn a_repeated_text_is_read_with_the_year_of_its_time() {
    let mut reader = StampReader::new(TimeZone::UTC);
    let mut year = |received: &str| {
        let received: Timestamp = received.parse().unwrap();
        let received = Stamp { unix_us: received.as_microsecond(), ..RECEIVED };
        let (stamp, _) = reader.legacy(b"Dec 31 23:59:59", 0, received).unwrap();
        Timestamp::from_microsecond(stamp.unix_us).unwrap().to_string()[..4].to_owned()
    };
    assert_eq!(year("2025-12-31T23:59:59Z"), "2025");
    assert_eq!(year("2026-01-01T00:00:00Z"), "2025");
    assert_eq!(year("2026-12-01T00:00:00Z"), "2026");
    assert_eq!(year("2027-12-01T00:00:00Z"), "2027");
}
