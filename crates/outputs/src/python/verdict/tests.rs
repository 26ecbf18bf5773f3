//! Answers, crashes and hangs, batch after batch.

use super::*;
use crate::testing::shown;
use delivery::Cell;
use std::sync::Arc;

/// A class over several batches.
struct Class(Faults);

impl Class {
    /// A class whose messages are tried three times.
    fn new() -> Class {
        Class(Faults::new(3))
    }

    /// Judges a batch. Each word is a message: its number, then a letter for its answer: `s`uccess, `d`rop, `e`rror,
    /// `n`ot connected, `q`ueued; in upper case it is that of a flush; none when it has none. `end` says why the process ended.
    #[track_caller]
    fn check(&mut self, messages: &str, end: Option<&str>, want: &str) {
        let words: Vec<&str> = messages.split(' ').collect();
        let (mut rows, mut answers) = (Vec::new(), Vec::new());
        for word in words {
            let number = word.trim_end_matches(char::is_alphabetic);
            let id = RecordId { incarnation: 1, sequence: number.parse().unwrap() };
            rows.push(Row { id, cells: vec![Cell::Null] });
            let Some(letter) = word.chars().last().filter(|letter| letter.is_alphabetic()) else { continue };
            let (code, text) = match letter.to_ascii_lowercase() {
                's' => (Code::Success, ""),
                'd' => (Code::Drop, ""),
                'e' => (Code::Error, "why\nwhere"),
                'n' => (Code::NotConnected, "away"),
                _ => (Code::Queued, ""),
            };
            answers.push(Answer { code, is_flush: letter.is_uppercase(), text: Arc::from(text) });
        }
        let end = end.map_or(End::Done, |why| End::Lost(why.to_owned()));
        assert_eq!(shown(&judge(&rows, &Outcome { answers, end }, &mut self.0)), want);
    }
}

#[test]
fn answers_are_verdicts() {
    Class::new().check("1s 2d 3s", None, "1 Delivered ; 1 Drop ; 1 Delivered ");
    Class::new().check(
        "1n 2 3",
        None,
        "1 Later(Reopen) away; 2 Later(Busy) it waits for a message before it",
    );
    Class::new().check("1S 2S 3d", None, "2 Delivered ; 1 Drop ");
}

#[test]
fn an_error_beside_a_success_is_that_of_the_message() {
    let mut class = Class::new();
    class.check("1s 2e 3s", None, "1 Delivered ; 1 Later(Busy) why; 1 Delivered ");
    class.check("2e", None, "1 Later(Busy) why");
    class.check("2e", None, "1 Dead(Retries) why\nwhere");
    class.check("2e", None, "1 Later(Reopen) why");
}

#[test]
fn an_outage_uses_up_the_tries_of_one_message() {
    let mut class = Class::new();
    let all = "2 Later(Reopen) why; 1 Later(Busy) it waits for a message before it";
    class.check("1e 2e 3", None, all);
    class.check("1e 2e 3", None, all);
    class.check("1s 2s 3s", None, "3 Delivered ");
    class.check("2e 3e", None, "2 Later(Reopen) why");
    class.check("2e 3e", None, "2 Later(Reopen) why");
    class.check("2e 3e", None, "1 Dead(Retries) why\nwhere; 1 Later(Reopen) why");
    class.check("3e", None, "1 Later(Reopen) why");
}

#[test]
fn a_flush_that_fails_is_halved_at_last() {
    let mut class = Class::new();
    class.check("1E 2E", None, "2 Later(Reopen) why");
    class.check("1E 2E", None, "2 Later(Reopen) why");
    class.check("1E 2E", None, "2 Split(Retries) why\nwhere");
    class.check("1S", None, "1 Delivered ");
    class.check("2E", None, "1 Later(Reopen) why");
}

#[test]
fn a_crash_is_found_before_it_is_judged() {
    let mut class = Class::new();
    assert_eq!(class.0.pace(), Pace::Gathered);
    class.check("1s 2 3", Some("signal: 11"), "1 Delivered ; 2 Later(Busy) signal: 11");
    assert_eq!(class.0.pace(), Pace::Single);
    class.check("2s 3 4", Some("signal: 11"), "1 Delivered ; 2 Later(Busy) signal: 11");
    class.check("3 4", Some("signal: 11"), "2 Later(Busy) signal: 11");
    class.check("3 4", Some("signal: 11"), "1 Dead(Rejected) signal: 11; 1 Later(Busy) signal: 11");
    class.check("4s", None, "1 Delivered ");
    assert_eq!(class.0.pace(), Pace::Gathered);
}

#[test]
fn a_crash_in_a_flush_is_halved_at_last() {
    let mut class = Class::new();
    for _ in 0..2 {
        class.check("1q 2q 3s", Some("x"), "2 Later(Busy) x; 1 Delivered ");
    }
    class.check("1q 2q", Some("x"), "2 Split(Rejected) x");
    class.check("1q", Some("x"), "1 Split(Rejected) x");
    class.check("2S", None, "1 Delivered ");
    class.check("4q", Some("x"), "1 Later(Busy) x");
}

#[test]
fn a_class_that_does_not_start_holds() {
    let rows = [Row { id: RecordId::default(), cells: Vec::new() }];
    for end in [End::Refused("no".into()), End::Missing("no".into())] {
        let outcome = Outcome { answers: Vec::new(), end };
        assert_eq!(shown(&judge(&rows, &outcome, &mut Faults::new(1))), "1 Hold(Code) no");
    }
}
