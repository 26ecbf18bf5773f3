//! Rows for who may write.

use super::*;

const MESSAGES: usize = 100;

/// Whether the last of some turns may write after its path took so long; `b` is another reader.
#[track_caller]
fn check(is_patient: bool, turns: &str, took: Duration, want: bool) {
    let (reader, other) = (Reader::new(is_patient), Reader::new(true));
    let mut last = false;
    for turn in turns.chars() {
        let _turn = if turn == 'b' { other.turn(MESSAGES) } else { reader.turn(MESSAGES) };
        // No test waits, and what is to be quick cannot be slow on a busy machine: that turn is yet to begin.
        let since =
            if took.is_zero() { Instant::now() + Duration::from_secs(3600) } else { Instant::now() - took };
        PRESENT.set(PRESENT.get().map(|turn| Present { since, ..turn }));
        last = may_write();
    }
    assert_eq!(last, want, "{turns} {took:?}");
    assert!(!may_write(), "its turn is over");
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

#[test]
fn what_writing_takes_is_not_what_the_path_costs() {
    let reader = Reader::new(true);
    (0..TURNS_MIN).for_each(|_| drop(reader.turn(MESSAGES)));
    let _turn = reader.turn(MESSAGES);
    PRESENT
        .set(PRESENT.get().map(|turn| Present { since: Instant::now() - Duration::from_secs(60), ..turn }));
    assert!(!may_write());
    wrote(Duration::from_secs(120));
    assert!(may_write());
}
