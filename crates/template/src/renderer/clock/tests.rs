//! Rows for calendar fields at the ends of weeks, months, years and half days.

use super::*;
use crate::RenderOptions;

/// Prints parts of a moment in UTC, with blanks between.
fn shown(dates: &[DatePart], unix_s: i64, offset_s: i32) -> String {
    let mut clocks = Clocks::new(&RenderOptions::default());
    let mut out = Vec::new();
    for date in dates {
        clocks.append(MessageTime::Sent, *date, Stamp::known(unix_s * 1_000_000, offset_s), &mut out);
        out.push(b' ');
    }
    String::from_utf8(out).unwrap().trim_end().to_owned()
}

#[test]
fn weeks_at_the_ends_of_years() {
    use DatePart::*;
    // Day of the year, week that begins on Monday, week of ISO 8601, week of the month, day of the week.
    let check = |unix_s: i64, want: &str| {
        assert_eq!(shown(&[YearDay, Week, IsoWeek, MonthWeek, WeekDay], unix_s, 0), want, "{unix_s}");
    };
    check(1_609_632_000, "003 00 53 0 1"); // 2021-01-03, a Sunday
    check(1_609_718_400, "004 01 01 1 2"); // 2021-01-04
    check(1_609_372_800, "366 52 53 4 5"); // 2020-12-31, of a leap year
    check(1_735_516_800, "365 53 01 5 2"); // 2024-12-30, of the first week of 2025
    check(1_767_225_600, "001 00 01 0 5"); // 2026-01-01
    check(1_672_531_200, "001 00 52 0 1"); // 2023-01-01, of the last week of 2022
    check(1_709_164_800, "060 09 09 4 5"); // 2024-02-29
    check(1_780_272_000, "152 22 23 1 2"); // 2026-06-01, a Monday
    check(1_793_491_200, "305 43 44 0 1"); // 2026-11-01, a Sunday
    check(978_220_800, "366 52 52 4 1"); // 2000-12-31: a century that is a leap year
    check(-2_177_539_200, "365 53 01 5 2"); // 1900-12-31: one that is not
    check(1_798_675_200, "365 52 53 4 5"); // 2026-12-31
}

#[test]
fn hours_of_half_days() {
    use DatePart::*;
    let check = |hour: i64, want: &str| assert_eq!(shown(&[Hour, Hour12, AmPm], hour * 3600, 0), want);
    check(0, "00 12 AM");
    check(1, "01 01 AM");
    check(11, "11 11 AM");
    check(12, "12 12 PM");
    check(13, "13 01 PM");
    check(23, "23 11 PM");
}

#[test]
fn offsets_and_fractions() {
    let offset = |offset_s: i32| shown(&[DatePart::Offset], 0, offset_s);
    assert_eq!(offset(0), "+00:00");
    assert_eq!(offset(-60), "-00:01");
    assert_eq!(offset(19_800), "+05:30");
    assert_eq!(offset(-12_600), "-03:30");
    let mut clocks = Clocks::new(&RenderOptions::default());
    let mut out = Vec::new();
    for date in [DatePart::Milliseconds, DatePart::Microseconds] {
        clocks.append(MessageTime::Received, date, Stamp::known(1_009_000, 0), &mut out);
    }
    assert_eq!(out, b"009009000");
}

#[test]
fn another_second_another_offset_and_another_time_are_not_the_one_before() {
    let mut clocks = Clocks::new(&RenderOptions::default());
    let mut row = |time: MessageTime, unix_s: i64, offset_s: i32, want: &str| {
        let mut out = Vec::new();
        clocks.append(time, DatePart::Hour, Stamp::known(unix_s * 1_000_000, offset_s), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), want);
    };
    row(MessageTime::Sent, 0, 0, "00");
    row(MessageTime::Sent, 0, 7200, "02");
    row(MessageTime::Received, 3600, 0, "01");
    row(MessageTime::Sent, 0, 7200, "02");
    row(MessageTime::Sent, 3600, 7200, "03");
}

#[test]
fn numbers_have_a_least_width() {
    let check = |number: u64, width: usize, want: &str| {
        let mut out = Vec::new();
        append_number(number, width, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), want);
    };
    check(0, 0, "0");
    check(0, 1, "0");
    check(0, 3, "000");
    check(7, 2, "07");
    check(10, 2, "10");
    check(123, 2, "123");
    check(u64::MAX, 4, "18446744073709551615");
    check(5, 99, "00000000000000000005");
}
