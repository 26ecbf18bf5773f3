//! Results and flushes, and reports that cannot be.

use super::*;
use proptest::prelude::*;

fn run(count: u32, code: u8, text: &str) -> Vec<u8> {
    let length = text.len() as u32;
    [&count.to_le_bytes()[..], &[code], &length.to_le_bytes(), text.as_bytes()].concat()
}

/// Shows the answers for five messages after some reports: runs of results, or flushes.
#[track_caller]
fn check(reports: &[(char, Vec<u8>)], want: &str) {
    let mut answers = Answers::new(5);
    let mut fault = "";
    for (kind, body) in reports {
        if answers.report(*kind as u8, body).is_err() {
            fault = " malformed";
        }
    }
    let shown = |answer: &Answer| {
        let flush = if answer.is_flush { "flush " } else { "" };
        format!("{flush}{:?} {}", answer.code, answer.text).trim_end().to_owned()
    };
    let outcome = answers.finish(End::Done);
    let shown = outcome.answers.iter().map(shown).collect::<Vec<_>>().join(", ");
    assert_eq!(format!("{shown}{fault}"), want);
}

#[test]
fn results_come_in_runs() {
    check(&[('r', run(2, 3, ""))], "Success, Success");
    check(&[('r', [run(1, 3, ""), run(1, 1, "no")].concat())], "Success, Error no");
    check(
        &[('r', run(1, 0, "")), ('r', run(1, 5, "x")), ('r', run(1, 6, ""))],
        "Drop, NotConnected x, Retry",
    );
    check(&[], "");
}

#[test]
fn a_flush_answers_for_what_is_queued() {
    let queued = || ('r', run(2, 4, ""));
    check(&[queued()], "Queued, Queued");
    check(&[queued(), ('f', vec![3])], "flush Success, flush Success");
    check(&[queued(), ('f', b"\x01why".to_vec())], "flush Error why, flush Error why");
    check(
        &[queued(), ('r', run(1, 1, "")), ('f', vec![3]), ('r', run(1, 4, ""))],
        "flush Success, flush Success, Error, Queued",
    );
}

#[test]
fn nonsense_is_malformed() {
    check(&[('r', run(6, 3, ""))], " malformed");
    check(
        &[('r', run(5, 3, "")), ('r', run(1, 3, ""))],
        "Success, Success, Success, Success, Success malformed",
    );
    check(&[('r', run(1, 2, ""))], " malformed");
    check(&[('r', run(1, 7, ""))], " malformed");
    check(&[('r', b"\x01\0\0\0\x03\xff\0\0\0x".to_vec())], " malformed");
    check(&[('r', vec![1, 0])], " malformed");
    check(&[('f', vec![])], " malformed");
    check(&[('f', vec![4])], " malformed");
}

proptest! {
    #[test]
    fn any_bytes_are_read(body: Vec<u8>, flush: Vec<u8>) {
        let mut answers = Answers::new(9);
        let _ = (answers.report(b'r', &body), answers.report(b'f', &flush));
        prop_assert!(answers.finish(End::Done).answers.len() <= 9);
    }
}
