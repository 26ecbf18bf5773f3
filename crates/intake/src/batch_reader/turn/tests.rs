//! Rows for the readers that may write.

use super::*;

const MESSAGES: usize = 100;

/// Checks whether the reader of the last of some turns may write, if its path took this long; `b` is a turn
/// of another reader.
#[track_caller]
fn check(is_patient: bool, turns: &str, took: Duration, want: bool) {
    let (mut reader, other) = (ReaderTurns::new(), ReaderTurns::new());
    if !is_patient {
        reader.disable();
    }
    let start = Instant::now();
    let mut last = false;
    for turn in turns.chars() {
        let reader = if turn == 'b' { &other } else { &reader };
        last = reader.begin(MESSAGES, || start).allows(|| start + took);
    }
    assert_eq!(last, want, "{turns} {took:?}");
}

#[test]
fn a_reader_that_has_the_thread_for_itself_writes_whole_batches() {
    let all = Duration::ZERO;
    let long = "a".repeat(TURNS_MIN as usize + 1);
    check(true, &long, all, true);
    check(true, &long[1..], all, false);
    check(false, &long, all, false);
    check(true, &format!("{long}b"), all, false);
    check(true, &format!("{long}ba"), all, false);
    check(true, &format!("{long}b{long}"), all, true);
}

#[test]
fn a_path_that_costs_more_is_left_to_two_threads() {
    let long = "a".repeat(TURNS_MIN as usize + 1);
    check(true, &long, CHEAP * 2 * MESSAGES as u32, false);
}
