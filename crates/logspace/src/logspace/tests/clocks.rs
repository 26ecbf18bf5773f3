//! Days that pass, clocks that are set and machines that restart, on simulated clocks: what is removed, sealed and moved
//! by age, and when.

use super::*;
use sim::SimClock;

/// 2026-03-01T12:00:00Z.
const NOON_US: i64 = 1_772_366_400_000_000;
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(86_400);
const YEAR_US: i64 = 365 * 86_400_000_000;

impl Clock for SimClock {
    fn wall_us(&self) -> i64 {
        SimClock::wall_us(self)
    }

    fn uptime_us(&self) -> i64 {
        SimClock::uptime_us(self)
    }

    fn boot_id(&self) -> String {
        SimClock::boot_id(self)
    }
}

/// A logspace whose clocks are simulated; segments have ten messages and are kept for a day.
struct Site {
    home: tempfile::TempDir,
    clock: SimClock,
    heard: Arc<Heard>,
}

impl Site {
    fn new() -> Site {
        let home = tempfile::tempdir().unwrap();
        Site { home, clock: SimClock::new(NOON_US), heard: Arc::default() }
    }

    fn open(&self, change: impl FnOnce(&mut LogspaceOptions)) -> Logspace {
        let mut options = LogspaceOptions {
            segment_messages_max: 10,
            retention_age: Some(DAY),
            recode: false,
            ..options()
        };
        change(&mut options);
        let host = Host { clock: Arc::new(self.clock.clone()), ..Host::default() };
        let dir = self.home.path().join("all");
        Logspace::open_on(host, Arc::new(Plain), &dir, options, self.heard.clone()).unwrap()
    }

    /// Opens the logspace and stores three segments, an hour apart.
    fn filled(&self) -> Logspace {
        let logspace = self.open(|_| {});
        for number in 0..3 {
            store(&logspace, number * 10..number * 10 + 10, self.clock.wall_us());
            assert_eq!(logspace.seal_now(PATIENCE), Some(number * 10 + 10));
            self.clock.pass(HOUR);
        }
        logspace
    }
}

/// Checks how many segments are left once the sealer has looked at the clocks.
#[track_caller]
fn check_left(logspace: &Logspace, segments: u64) {
    wait_until("removed", || logspace.stats().segments <= segments);
    wait_for_looks(&logspace.seals);
    assert_eq!(logspace.stats().segments, segments);
}

#[test]
fn segments_are_removed_when_they_are_old_enough_and_not_before() {
    let site = Site::new();
    // The first is three hours old, the last one hour.
    let logspace = site.filled();
    for (passed, left) in [(20 * HOUR, 3), (59 * MINUTE, 3), (2 * MINUTE, 2), (HOUR, 1), (HOUR, 0)] {
        site.clock.pass(passed);
        check_left(&logspace, left);
    }
    assert_eq!(logspace.stats().segments_removed_total, 3);
}

#[test]
fn a_logspace_under_legal_hold_removes_nothing_however_old_it_is() {
    let site = Site::new();
    let logspace = site.filled();
    logspace.set_retention(Retention { age: Some(DAY), bytes: Some(1), hold: true });
    site.clock.pass(1000 * DAY);
    check_left(&logspace, 3);
    logspace.set_retention(Retention { age: Some(DAY), ..Retention::default() });
    check_left(&logspace, 0);
}

#[test]
fn a_day_that_ends_without_another_message_is_sealed() {
    let site = Site::new();
    let logspace = site.open(|options| options.retention_age = None);
    store(&logspace, 0..5, site.clock.wall_us());
    wait_until("found", || logspace.snapshot().sequence == 5);
    let look = || {
        logspace.shared.unbuilt.nudge();
        wait_for_looks(&logspace.shared.unbuilt);
    };
    site.clock.pass(12 * HOUR - MINUTE);
    look();
    assert_eq!(logspace.stats().segments, 0, "the day is not over");
    site.clock.pass(MINUTE);
    look();
    wait_until("sealed", || logspace.stats().segments == 1);
}

#[test]
fn after_a_jump_nothing_is_removed_until_the_new_time_has_lasted() {
    let site = Site::new();
    let logspace = site.filled();
    site.clock.step(10 * YEAR_US);
    check_left(&logspace, 3);
    assert!(site.heard.has("the clock jumped forward by 315360000 s"), "{:?}", site.heard.0);
    // An hour is what it must last.
    site.clock.pass(HOUR - MINUTE);
    check_left(&logspace, 3);
    site.clock.pass(MINUTE);
    check_left(&logspace, 0);
    assert!(site.heard.has("the new time is accepted"));
}

#[test]
fn a_clock_that_is_set_right_again_removes_nothing() {
    let site = Site::new();
    let logspace = site.filled();
    site.clock.step(10 * YEAR_US);
    wait_until("seen", || site.heard.has("the clock jumped forward"));
    site.clock.step(-10 * YEAR_US);
    wait_until("seen", || site.heard.has("the clock is right again"));
    site.clock.pass(2 * HOUR);
    check_left(&logspace, 3);
    // Set back, what is new is no older for it, and what is old stays longer.
    site.clock.step(-YEAR_US);
    wait_until("seen", || site.heard.has("the clock jumped back by 31536000 s"));
    site.clock.pass(2 * DAY);
    check_left(&logspace, 3);
}

#[test]
fn a_jump_that_somebody_confirms_is_the_time_at_once() {
    let site = Site::new();
    let logspace = site.filled();
    site.clock.step(2 * 86_400_000_000);
    wait_until("seen", || site.heard.has("the clock jumped forward by 172800 s"));
    check_left(&logspace, 3);
    logspace.confirm();
    check_left(&logspace, 0);
}

#[test]
fn a_machine_that_was_off_for_long_asks_before_it_removes() {
    // A short time is that of a restart; after a long one the clock may be wrong.
    for (off, left) in [(10 * MINUTE, 0), (30 * DAY, 3)] {
        let site = Site::new();
        let logspace = site.filled();
        site.clock.pass(20 * HOUR);
        check_left(&logspace, 3);
        logspace.close();
        site.clock.restart(off);
        let logspace = site.open(|options| options.retention_age = Some(21 * HOUR));
        check_left(&logspace, left);
        logspace.confirm();
        check_left(&logspace, 0);
    }
}

#[test]
fn segments_go_to_the_archive_at_their_age() {
    let site = Site::new();
    let logspace = site.filled();
    logspace.close();
    let archive = site.home.path().join("archive");
    let logspace = site.open(|options| {
        (options.archive_to, options.archive_after) = (Some(archive), Some(3 * HOUR + MINUTE));
    });
    for (passed, archived) in [(Duration::ZERO, 0), (2 * MINUTE, 1), (HOUR, 2), (HOUR, 3)] {
        site.clock.pass(passed);
        wait_until("archived", || logspace.attach_archive().0 >= archived);
        wait_for_looks(&logspace.seals);
        assert_eq!(logspace.attach_archive(), (archived, 0), "{passed:?}");
    }
}
