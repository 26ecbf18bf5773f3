//! Rows for zones: the same moment in another zone, and the same wall clock read in another one.

use super::*;

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

/// 2026-07-01 12:00:00 UTC, shown two hours east.
fn sample() -> Stamp {
    Stamp::known(1_782_907_200_000_001, 7200)
}

#[test]
fn the_moment_stays() {
    let check = |name: &str, offset_s: i32| {
        let shown = shown_in(sample(), &zone(name));
        assert_eq!((shown.unix_us, shown.offset_s), (sample().unix_us, offset_s), "{name}");
    };
    check("UTC", 0);
    check("Asia/Kolkata", 19_800);
    check("America/New_York", -14_400);
}

#[test]
fn the_wall_clock_stays() {
    let check = |stamp: Stamp, name: &str, unix_s: i64, offset_s: i32| {
        let read = read_in(stamp, &zone(name));
        assert_eq!((read.unix_s(), read.offset_s), (unix_s, offset_s), "{name}");
        assert_eq!(read.unix_us % 1_000_000, stamp.unix_us % 1_000_000);
        assert_eq!(read.quality, ZoneQuality::ZoneGuessed);
    };
    // 14:00 local time.
    check(sample(), "UTC", 1_782_914_400, 0);
    check(sample(), "Europe/Budapest", 1_782_907_200, 7200);
    check(sample(), "America/New_York", 1_782_928_800, -14_400);
    // 2026-03-29 02:30 does not exist in Budapest: the clock has not been changed yet.
    check(Stamp::known(1_774_751_400_000_000, 0), "Europe/Budapest", 1_774_747_800, 7200);
    let guessed = Stamp { quality: ZoneQuality::YearGuessed, ..sample() };
    assert_eq!(read_in(guessed, &zone("UTC")).quality, ZoneQuality::YearGuessed);
}
