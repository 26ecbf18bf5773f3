//! Rows for when a write is tried again, under a clock of the test.

use super::*;
use std::io::ErrorKind::{self, ConnectionRefused, WouldBlock};

const PAUSE: Duration = Duration::from_secs(60);

/// Fails at these seconds with so many bytes left, and checks after how many seconds from the start the last failure is
/// tried again.
#[track_caller]
fn check(error: ErrorKind, failures: &[(u64, usize)], stops: Option<u64>, want: Option<u64>) {
    let start = Instant::now();
    let at = |seconds| start + Duration::from_secs(seconds);
    let mut retry = Retry::new(100, start);
    let next = failures
        .iter()
        .map(|(seconds, left)| retry.next((error, *left), PAUSE, stops.map(at), at(*seconds)))
        .last()
        .flatten();
    assert_eq!(next, want.map(at));
}

#[test]
fn an_error_is_tried_again_after_the_pause_for_ever() {
    check(ConnectionRefused, &[(0, 100)], None, Some(60));
    check(ConnectionRefused, &[(0, 100), (60, 100), (120, 100)], None, Some(180));
}

#[test]
fn a_slow_target_is_tried_again_at_once() {
    check(WouldBlock, &[(0, 100)], None, Some(0));
    check(WouldBlock, &[(0, 100), (3600, 100)], None, Some(3600));
}

#[test]
fn a_stop_waits_for_those_who_still_take_something() {
    check(ConnectionRefused, &[(0, 100)], Some(30), None);
    check(WouldBlock, &[(1, 100)], Some(30), Some(1));
    check(WouldBlock, &[(2, 100)], Some(30), None);
    check(WouldBlock, &[(1, 50), (2, 50)], Some(30), Some(2));
    check(WouldBlock, &[(1, 50), (3, 50)], Some(30), None);
    check(WouldBlock, &[(1, 90), (2, 80), (3, 70), (4, 60)], Some(30), Some(4));
}
