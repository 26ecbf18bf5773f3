//! Answers of Splunk's HTTP event collector.
//!
//! In: a status, and JSON with a code, words, and the number of an event. Out: verdicts. Holds: nothing.
//! Limits: [`WORDS_CHARACTERS_MAX`].
//!
//! The collector takes the events of a request one after the other, and stops at the first that it does not take: `invalid-event-number`
//! counts from zero. Those before it are taken, it alone is refused, and those after it were not looked at.

use super::verdict::Judge;
use delivery::{HoldReason, Judgement, Verdict, Wait};
use serde_json::Value;
use std::time::Duration;
use transport::DeadReason;

/// Longest text of a server that is kept.
const WORDS_CHARACTERS_MAX: usize = 300;

/// Judges the messages of a request. `None` for an answer that is not of the collector.
pub(in crate::http) fn judgements(
    judge: &Judge,
    (status, wait): (u16, Option<Duration>),
    body: &[u8],
    rows: usize,
) -> Option<Vec<Judgement>> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let code = answer.get("code")?.as_u64()?;
    if judge.of_action(status, wait).is_some() {
        return None;
    }
    let number = answer.get("invalid-event-number").and_then(Value::as_u64);
    let number = number.and_then(|number| usize::try_from(number).ok()).filter(|number| *number < rows);
    let words: String = answer
        .get("text")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .chars()
        .filter(|c| !c.is_control())
        .take(WORDS_CHARACTERS_MAX)
        .collect();
    let said = format!("the server answered {status}: {words} (code {code})");
    let later = Verdict::Later(wait.map_or(Wait::Busy, Wait::For));
    let verdict = match (code, status) {
        (0, 200..=299) => return Some(Judgement::delivered(rows)),
        // The token is disabled, missing, written wrongly or unknown.
        (1..=4, _) => Verdict::Hold(HoldReason::Credentials),
        // No data, no JSON, no event, an empty one, fields that cannot be indexed.
        (5 | 6 | 12 | 13 | 15, _) => Verdict::Dead(DeadReason::Rejected),
        // The index is unknown, or not one of this token.
        (7, _) => Verdict::Dead(DeadReason::BadName),
        (8, _) => judge.of_error(wait),
        // Busy, shutting down, its queues are full.
        (9 | 18..=20 | 23..=27, _) => later,
        // Channels and acknowledgements are not set up as this request expects.
        (10 | 11 | 14 | 16, _) => Verdict::Hold(HoldReason::Schema),
        _ => return None,
    };
    let one = |rows, verdict, answer: &str| Judgement { rows, verdict, answer: answer.to_owned() };
    let judgements = match (verdict, number) {
        (Verdict::Dead(_), Some(number)) => vec![
            one(number, Verdict::Delivered, ""),
            one(1, verdict, &said),
            one(rows - number - 1, Verdict::Later(Wait::For(Duration::ZERO)), &said),
        ],
        // Which one it is has to be found.
        (Verdict::Dead(DeadReason::BadName), None) => {
            vec![one(rows, Verdict::Hold(HoldReason::Schema), &said)]
        }
        (Verdict::Dead(reason), None) => vec![one(rows, Verdict::Split(reason), &said)],
        // One that it may have taken is sent again: better twice than not at all.
        (Verdict::Later(_), Some(number)) => {
            let taken = number.saturating_sub(1);
            vec![one(taken, Verdict::Delivered, ""), one(rows - taken, verdict, &said)]
        }
        _ => vec![one(rows, verdict, &said)],
    };
    Some(judgements.into_iter().filter(|judgement| judgement.rows > 0).collect())
}

#[cfg(test)]
mod tests {
    //! Codes with and without the number of an event.

    use super::*;
    use crate::testing::shown;

    #[track_caller]
    fn check(status: u16, body: &str, want: &str) {
        let judge = Judge { actions: Vec::new(), bounds_errors: false };
        let found = judgements(&judge, (status, None), body.as_bytes(), 5);
        assert_eq!(found.map(|found| shown(&found)).unwrap_or_default(), want, "{body}");
    }

    #[test]
    fn a_code_says_what_becomes_of_events() {
        check(200, r#"{"text":"Success","code":0}"#, "5 Delivered ");
        check(200, "<html>", "");
        check(400, r#"{"text":"x"}"#, "");
        check(
            400,
            r#"{"text":"Invalid data format","code":6,"invalid-event-number":2}"#,
            "2 Delivered ; 1 Dead(Rejected) the server answered 400: Invalid data format (code 6); \
             2 Later(For(0ns)) the server answered 400: Invalid data format (code 6)",
        );
        check(
            400,
            r#"{"text":"Incorrect index","code":7,"invalid-event-number":0}"#,
            "1 Dead(BadName) the server answered 400: Incorrect index (code 7); \
             4 Later(For(0ns)) the server answered 400: Incorrect index (code 7)",
        );
        check(
            400,
            r#"{"text":"Invalid data format","code":6,"invalid-event-number":5}"#,
            "5 Split(Rejected) the server answered 400: Invalid data format (code 6)",
        );
        check(
            400,
            r#"{"text":"Incorrect index","code":7}"#,
            "5 Hold(Schema) the server answered 400: Incorrect index (code 7)",
        );
        check(
            403,
            r#"{"text":"Invalid token","code":4}"#,
            "5 Hold(Credentials) the server answered 403: Invalid token (code 4)",
        );
        check(
            503,
            r#"{"text":"Server is busy","code":9,"invalid-event-number":3}"#,
            "2 Delivered ; 3 Later(Busy) the server answered 503: Server is busy (code 9)",
        );
        check(
            400,
            r#"{"text":"Data channel is missing","code":10}"#,
            "5 Hold(Schema) the server answered 400: Data channel is missing (code 10)",
        );
        check(
            500,
            r#"{"text":"Internal server error","code":8}"#,
            "5 Later(Busy) the server answered 500: Internal server error (code 8)",
        );
    }
}
