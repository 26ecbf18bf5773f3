//! Rows for the calendar and the printed forms.

use super::*;
use jiff::tz::TimeZone;
use message::Stamp;

#[track_caller]
fn check(format: StampFormat, digits: u8, zone: Option<&str>, unix_us: i64, offset_s: i32, want: &str) {
    let zone = zone.map(|name| TimeZone::get(name).unwrap());
    let mut text = StampText::new(format, digits, zone);
    for _ in 0..2 {
        let mut out = Vec::new();
        text.append(Stamp::known(unix_us, offset_s), &mut out);
        assert_eq!(String::from_utf8_lossy(&out), want);
    }
}

const NOON: i64 = 1_795_262_399_123_456;

#[test]
fn prints_every_form() {
    check(StampFormat::Bsd, 0, None, NOON, 0, "Nov 21 11:59:59");
    check(StampFormat::Bsd, 3, None, NOON, 3600, "Nov 21 12:59:59.123");
    check(StampFormat::Bsd, 0, None, 0, 0, "Jan  1 00:00:00");
    check(StampFormat::Full, 0, None, NOON, 0, "2026 Nov 21 11:59:59");
    check(StampFormat::Iso, 0, None, NOON, 0, "2026-11-21T11:59:59+00:00");
    check(StampFormat::Iso, 6, None, NOON, -12_600, "2026-11-21T08:29:59.123456-03:30");
    check(StampFormat::Iso, 9, None, -1, 0, "1969-12-31T23:59:59.999999+00:00");
    check(StampFormat::Unix, 0, None, NOON, 3600, "1795262399");
    check(StampFormat::Unix, 2, None, NOON, 0, "1795262399.12");
}

#[test]
fn converts_to_a_zone() {
    check(StampFormat::Iso, 0, Some("Europe/Budapest"), NOON, 0, "2026-11-21T12:59:59+01:00");
    check(
        StampFormat::Iso,
        0,
        Some("Europe/Budapest"),
        1_783_000_000_000_000,
        0,
        "2026-07-02T15:46:40+02:00",
    );
}

#[test]
fn the_calendar_agrees_with_itself() {
    for days in (-800_000..800_000).step_by(37) {
        let unix_s = days * 86_400 + 3_723;
        let civil = Civil::of(unix_s, 0);
        let date = [civil.year, i32::from(civil.month), i32::from(civil.day)];
        assert_eq!(unix_s_of(date, [1, 2, 3]), unix_s);
        assert_eq!((civil.hour, civil.minute, civil.second), (1, 2, 3));
    }
    let leap = Civil::of(1_709_164_800, 0);
    assert_eq!((leap.month, leap.day, leap.weekday, leap.year_day), (2, 29, 4, 60));
    assert_eq!(unix_s_of([2025, 11, 31], [14, 99, 16]), unix_s_of([2025, 12, 1], [15, 39, 16]));
    assert_eq!(unix_s_of([2025, 13, 1], [0, 0, 0]), unix_s_of([2026, 1, 1], [0, 0, 0]));
}

/// A sender whose clock is `late_s` behind ours, read at offset 0.
#[track_caller]
fn check_guess(late_s: i64, want_offset_s: i32) {
    let now = Stamp::known(NOON, 0);
    let stamp = Stamp::known(NOON - late_s * 1_000_000, 0);
    let guessed = guess_zone(stamp, now);
    assert_eq!(guessed.offset_s, want_offset_s);
    assert_eq!(guessed.unix_us + i64::from(guessed.offset_s) * 1_000_000, stamp.unix_us, "wall clock");
}

#[test]
fn guesses_zones() {
    check_guess(0, 0);
    check_guess(-7_200 + 12, 7_200);
    check_guess(-7_200 - 30, 7_200);
    check_guess(-7_200 - 31, 0);
    check_guess(12 * 3_600, -12 * 3_600);
    check_guess(13 * 3_600, 0);
    check_guess(-20_700, 20_700);
    check_guess(-17_100, 0);
    check_guess(-86_400, 0);
    check_guess(-14 * 3_600, 14 * 3_600);
    check_guess(-15 * 3_600, 0);
    check_guess(30, 0);
    check_guess(-7_200 + 30, 7_200);
    check_guess(-7_200 + 31, 0);
    for minutes in [-570, -270, -210, -150, 210, 270, 330, 345, 390, 510, 525, 570, 585, 630, 690, 765, 825] {
        check_guess(-60 * minutes, 60 * minutes as i32);
        check_guess(
            -60 * (minutes + 15),
            if matches!(minutes, 330 | 510 | 570) {
                60 * (minutes as i32 + 15)
            } else {
                check_whole(minutes + 15)
            },
        );
    }
}

/// The offset of this number of minutes if it is a multiple of an hour, else none.
fn check_whole(minutes: i64) -> i32 {
    if minutes % 60 == 0 { 60 * minutes as i32 } else { 0 }
}

#[test]
fn a_zone_is_guessed_from_less_than_a_day() {
    let quality = |offset_s: i32, late_s: i64| {
        let stamp = Stamp::known(NOON - late_s * 1_000_000, offset_s);
        let guessed = guess_zone(stamp, Stamp::known(NOON, 0));
        (guessed.offset_s, guessed.quality == message::ZoneQuality::ZoneGuessed)
    };
    assert_eq!(quality(0, 0), (0, true));
    assert_eq!(quality(12 * 3_600, 23 * 3_600), (-11 * 3_600, true));
    assert_eq!(quality(12 * 3_600, 24 * 3_600), (12 * 3_600, false));
    assert_eq!(quality(-12 * 3_600, -24 * 3_600), (-12 * 3_600, false));
    assert_eq!(quality(330 * 60 + 30, 0), (330 * 60 + 30, false), "no zone has seconds");
}

#[test]
fn the_calendar_is_that_of_the_library() {
    let library = |unix_s: i64| {
        let time = jiff::Timestamp::from_second(unix_s).unwrap().to_zoned(TimeZone::UTC);
        let date = [i32::from(time.year()), i32::from(time.month()), i32::from(time.day())];
        let weekday = time.weekday().to_sunday_zero_offset();
        (date, [time.hour(), time.minute(), time.second()], weekday, time.day_of_year())
    };
    let leap_years = [1600, 1700, 1900, 1970, 2000, 2023, 2024, 2100, 2399, 2400]
        .map(|year| unix_s_of([year, 1, 1], [0, 0, 0]));
    let days = leap_years
        .into_iter()
        .flat_map(|start| (-400..800).map(move |day| start + day * 86_400 + (day & 7) * 10_799));
    for unix_s in days {
        let civil = Civil::of(unix_s, 0);
        let date = [civil.year, i32::from(civil.month), i32::from(civil.day)];
        let time = [civil.hour, civil.minute, civil.second].map(|number| number as i8);
        assert_eq!((date, time, civil.weekday as i8, civil.year_day as i16), library(unix_s), "{unix_s}");
        assert_eq!(Civil::of(unix_s - 3_600, 3_600), civil);
    }
}

#[test]
fn zones_have_names_offsets_and_rules() {
    let offset = |text: &str| {
        let zone = zone_of(text)?;
        Some(zone.to_offset(jiff::Timestamp::UNIX_EPOCH).seconds())
    };
    for (text, want) in [
        ("UTC", Some(0)),
        (" Europe/Budapest ", Some(3_600)),
        ("+02:00", Some(7_200)),
        ("+0230", Some(9_000)),
        ("-02:30", Some(-9_000)),
        ("+02", Some(7_200)),
        ("+2", None),
        ("+02:000", None),
        ("+99:00", None),
        ("CET-1CEST,M3.5.0/2,M10.5.0/3", Some(3_600)),
        ("", None),
        ("Nowhere/Else", None),
    ] {
        assert_eq!(offset(text), want, "{text}");
    }
}

#[test]
fn forms_have_their_names() {
    for (name, want) in [
        ("rfc3164", Some(StampFormat::Bsd)),
        ("bsd", Some(StampFormat::Bsd)),
        ("iso", Some(StampFormat::Iso)),
        ("rfc3339", Some(StampFormat::Iso)),
        ("full", Some(StampFormat::Full)),
        ("unix", Some(StampFormat::Unix)),
        ("utc", Some(StampFormat::Unix)),
        ("ISO", None),
    ] {
        assert_eq!(StampFormat::from_name(name), want, "{name}");
    }
}
