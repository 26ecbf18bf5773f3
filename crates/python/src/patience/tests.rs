//! Deadlines before and after an end is wished.

use super::*;

#[track_caller]
fn check(began_s: u64, limit_s: u64, ending: Option<(u64, u64)>, want_s: u64) {
    let start = Instant::now();
    let at = |seconds| start + Duration::from_secs(seconds);
    let patience = Patience::default();
    if let Some((since, over)) = ending {
        let _ = patience.0.set(Ending { since: at(since), over: at(over) });
    }
    let deadline = patience.deadline(at(began_s), Duration::from_secs(limit_s));
    assert_eq!((deadline - start).as_secs(), want_s);
}

#[test]
fn an_end_makes_calls_shorter() {
    check(5, 60, None, 65);
    // A call that runs, one that begins later, one that has its own shorter limit, and the end of all.
    check(5, 60, Some((10, 100)), 13);
    check(20, 60, Some((10, 100)), 23);
    check(20, 1, Some((10, 100)), 21);
    check(99, 60, Some((10, 100)), 100);
}

#[test]
fn the_first_wish_counts() {
    let patience = Patience::default();
    assert!(!patience.is_ending() && !patience.is_over());
    patience.end(Duration::ZERO);
    patience.end(Duration::from_secs(100));
    assert!(patience.is_ending() && patience.is_over());
}
