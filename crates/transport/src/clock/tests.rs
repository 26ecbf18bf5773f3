//! Stamps in a zone of the test.

use super::*;
use std::time::Duration;

/// Half an hour before and after Budapest switched to summer time in 2025.
const BEFORE_US: i64 = 1_743_294_600_000_000;
const AFTER_US: i64 = 1_743_298_200_000_000;

#[test]
fn the_offset_is_that_of_the_moment() {
    let zone = TimeZone::get("Europe/Budapest").unwrap();
    let mut clock = Clock { zone, ..Clock::default() };
    for (unix_us, offset_s) in [
        (0, 3600),
        (1, 3600),
        (BEFORE_US, 3600),
        (BEFORE_US + 1_799_999_999, 3600),
        (BEFORE_US + 1_800_000_000, 7200),
        (AFTER_US, 7200),
        (BEFORE_US, 3600),
    ] {
        let at = UNIX_EPOCH + Duration::from_micros(unix_us as u64);
        assert_eq!(clock.stamp(at), Stamp::known(unix_us, offset_s), "{unix_us}");
    }
}

#[test]
fn a_clock_before_1970_stays_at_its_start() {
    let mut clock = Clock { zone: TimeZone::UTC, ..Clock::new() };
    assert_eq!(clock.stamp(UNIX_EPOCH - Duration::from_secs(5)), Stamp::known(0, 0));
}

#[test]
fn now_is_the_time_of_the_machine() {
    let mut clock = Clock::new();
    let before = clock.stamp(SystemTime::now());
    let now = clock.now();
    let after = clock.stamp(SystemTime::now());
    assert!((before.unix_us..=after.unix_us).contains(&now.unix_us), "{before:?} {now:?} {after:?}");
}
