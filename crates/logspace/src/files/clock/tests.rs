//! Rows of readings: jumps, small steps, drift, sleep, restarts of the program and of the machine.

use super::*;
use journal::OsDisk;

const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3600 * SECOND;
const DAY: i64 = 24 * HOUR;
/// 2026-11-22.
const START: i64 = 1_795_000_000 * SECOND;

fn at(wall_us: i64, uptime_us: i64) -> ClockReading {
    ClockReading { wall_us: START + wall_us, uptime_us: HOUR + uptime_us }
}

fn guard(dir: &Path, boot_id: &str, now: ClockReading) -> ClockGuard {
    ClockGuard::open(&OsDisk, dir, Duration::from_secs(3600), None, (boot_id.to_owned(), now)).unwrap()
}

/// Readings, and whether removal by age may go on after each.
#[track_caller]
fn check(rows: &[(i64, i64, bool)]) {
    let dir = tempfile::tempdir().unwrap();
    let mut guard = guard(dir.path(), "a", at(0, 0));
    for (wall_us, uptime_us, is_trusted) in rows {
        guard.observe(at(*wall_us, *uptime_us));
        assert_eq!(guard.is_trusted(), *is_trusted, "{wall_us} {uptime_us}");
    }
}

#[test]
fn l3_a_jump_holds_until_it_has_lasted() {
    let far = 400 * DAY;
    let minute = 60 * SECOND;
    check(&[
        (minute, minute, true),
        (far, 2 * minute, false),
        (far + HOUR - 1, 2 * minute + HOUR - 1, false),
    ]);
    check(&[(far, minute, false), (far + HOUR, minute + HOUR, true), (far + DAY, minute + DAY, true)]);
    // It came back.
    check(&[(far, minute, false), (2 * minute, 2 * minute, true)]);
    // It jumps again: the hour begins again.
    check(&[(far, 0, false), (far + DAY, HOUR / 2, false), (far + DAY + HOUR, HOUR, false)]);
    check(&[(-far, 0, false), (HOUR - far, HOUR, true)]);
}

#[test]
fn l3_small_steps_drift_and_sleep_are_no_jumps() {
    check(&[(50 * SECOND, 0, true), (HOUR - 50 * SECOND, HOUR, true)]);
    // Uptime runs on while the machine sleeps.
    check(&[(30 * DAY, 30 * DAY, true), (31 * DAY + 20 * SECOND, 31 * DAY, true)]);
    // A wall clock that is 40 s a day fast, looked at each hour.
    let fast: Vec<_> = (0..2000).map(|hour| (hour * (HOUR + 40 * SECOND / 24), hour * HOUR, true)).collect();
    check(&fast);
    // Steps below the tolerance add up when they come too fast.
    let dir = tempfile::tempdir().unwrap();
    let mut guard = guard(dir.path(), "a", at(0, 0));
    let steps = (0..60).map(|minute| at(minute * 100 * SECOND, minute * 60 * SECOND));
    assert!(
        steps
            .filter_map(|reading| guard.observe(reading))
            .any(|event| matches!(event, ClockEvent::Jumped(_)))
    );
}

#[test]
fn l3_a_jump_across_a_restart_is_seen() {
    // Boot of the second start, its reading, and whether removal may go on.
    let rows = [
        ("a", at(DAY, DAY), true),
        ("a", at(400 * DAY, 60 * SECOND), false),
        ("a", at(-DAY, 60 * SECOND), false),
        ("b", at(600 * SECOND, -HOUR), true),
        ("b", at(400 * DAY, -HOUR), false),
        // A machine without a clock of its own begins in the past.
        ("b", at(-400 * DAY, -HOUR), false),
        ("", at(400 * DAY, DAY), false),
    ];
    for (boot_id, now, is_trusted) in rows {
        let dir = tempfile::tempdir().unwrap();
        let mut first = guard(dir.path(), "a", at(0, 0));
        first.observe(at(0, 0));
        first.keep(&OsDisk).unwrap();
        let mut second = guard(dir.path(), boot_id, now);
        second.observe(now);
        assert_eq!(second.is_trusted(), is_trusted, "{boot_id} {now:?}");
        // It stays so over a further restart, until somebody confirms.
        second.keep(&OsDisk).unwrap();
        let mut third = guard(dir.path(), boot_id, now);
        third.observe(now);
        assert_eq!(third.is_trusted(), is_trusted, "{boot_id} {now:?}");
        assert_eq!(third.confirm().is_some(), !is_trusted);
        assert_eq!(third.observe(now), None);
    }
    // The first network time of such a machine puts it right.
    let dir = tempfile::tempdir().unwrap();
    let mut first = guard(dir.path(), "a", at(0, 0));
    first.observe(at(0, 0));
    first.keep(&OsDisk).unwrap();
    let mut second = guard(dir.path(), "b", at(-400 * DAY, -HOUR));
    assert!(matches!(second.observe(at(-400 * DAY, -HOUR)), Some(ClockEvent::Jumped(_))));
    assert_eq!(second.observe(at(40 * SECOND, 10 * SECOND - HOUR)), Some(ClockEvent::Returned));
}

#[test]
fn l3_without_a_file_the_newest_message_counts() {
    for (newest, is_trusted) in
        [(Some(-60 * SECOND), true), (Some(-400 * DAY), false), (Some(DAY), false), (None, true)]
    {
        let dir = tempfile::tempdir().unwrap();
        let newest = newest.map(|us| START + us);
        let wait = Duration::from_secs(3600);
        let opened = ClockGuard::open(&OsDisk, dir.path(), wait, newest, ("a".to_owned(), at(0, 0)));
        let mut guard = opened.unwrap();
        guard.observe(at(0, 0));
        assert_eq!(guard.is_trusted(), is_trusted, "{newest:?}");
    }
}

#[test]
fn l3_no_wait_trusts_every_clock_and_damage_says_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let open = |wait| ClockGuard::open(&OsDisk, dir.path(), wait, None, ("a".to_owned(), at(0, 0))).unwrap();
    let mut guard = open(Duration::ZERO);
    guard.observe(at(400 * DAY, 0));
    assert!(guard.is_trusted());
    guard.keep(&OsDisk).unwrap();
    assert!(read(&OsDisk, dir.path()).unwrap().is_some());
    fs::write(dir.path().join(CLOCK_NAME), "duramen clock 1\nboot a\nwall 5\nuptime 5\nend 00000000\n")
        .unwrap();
    assert!(read(&OsDisk, dir.path()).unwrap().is_none());
}

#[test]
fn the_clocks_of_the_system_are_read() {
    let uptime_s = || -> f64 {
        let text = fs::read_to_string("/proc/uptime").unwrap();
        text.split(' ').next().unwrap().parse().unwrap()
    };
    let (before, read, after) = (uptime_s(), OsClock.uptime_us() as f64, uptime_s());
    assert!((before * 1e6 - 1.0..=after * 1e6 + 1.0).contains(&read), "{before} {read} {after}");
    let system_us = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros() as i64;
    let (before, read, after) = (system_us(), OsClock.wall_us(), system_us());
    assert!((before..=after).contains(&read), "{before} {read} {after}");
    let id = OsClock.boot_id();
    assert!(id.len() == 36 && id.trim() == id && OsClock.boot_id() == id, "{id:?}");
}
