//! Rows for who may wait.

use super::*;

/// Whether the last of some turns may wait; `b` is another reader.
#[track_caller]
fn check(is_patient: bool, turns: &str, want: bool) {
    let (reader, other) = (Reader::new(is_patient), Reader::new(true));
    let mut last = false;
    for turn in turns.chars() {
        let _turn = if turn == 'b' { other.turn() } else { reader.turn() };
        last = may_wait();
    }
    assert_eq!(last, want, "{turns}");
    assert!(!may_wait(), "its turn is over");
}

#[test]
fn a_reader_that_has_the_thread_for_itself_may_wait() {
    let long = "a".repeat(TURNS_MIN as usize + 1);
    check(true, &long, true);
    check(true, &long[1..], false);
    check(false, &long, false);
    check(true, &format!("{long}b"), false);
    check(true, &format!("{long}ba"), false);
    check(true, &format!("{long}b{long}"), true);
}
