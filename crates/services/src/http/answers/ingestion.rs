//! Answers of OpenObserve to its ingestion in JSON.
//!
//! In: the body of a success. Out: verdicts. Holds: nothing. Limits: [`WORDS_CHARACTERS_MAX`].
//!
//! A request succeeds although records of it were not stored. The answer says how many, and not which: all messages of the request become
//! dead letters, because to send it again would store the others twice.

use delivery::{Judgement, Verdict};
use serde_json::Value;
use transport::DeadReason;

/// Longest text of a server that is kept.
const WORDS_CHARACTERS_MAX: usize = 300;

/// Judges the messages of a request. `None` for a body that does not say how many records were stored.
pub(in crate::http) fn judgements(body: &[u8], rows: usize) -> Option<Vec<Judgement>> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let streams = answer.get("status")?.as_array()?;
    let failed: u64 =
        streams.iter().filter_map(|stream| stream.get("failed")?.as_u64()).fold(0, u64::saturating_add);
    if failed == 0 {
        return Some(Judgement::delivered(rows));
    }
    let words =
        streams.iter().filter_map(|stream| stream.get("error")?.as_str()).find(|words| !words.is_empty());
    let words: String =
        words.unwrap_or_default().chars().filter(|c| !c.is_control()).take(WORDS_CHARACTERS_MAX).collect();
    let (reason, which) = match failed >= rows as u64 {
        true => (DeadReason::Rejected, ""),
        false => (DeadReason::Unnamed, " and does not say which; it has the others"),
    };
    let said =
        format!("the server did not store {} of {rows} records{which}\n{words}", failed.min(rows as u64));
    Some(Judgement::of_all(rows, Verdict::Dead(reason), said.trim_end()))
}

#[cfg(test)]
mod tests {
    //! Bodies of successes.

    use super::*;
    use crate::testing::shown;

    #[track_caller]
    fn check(body: &str, want: &str) {
        let found = judgements(body.as_bytes(), 3).map(|found| shown(&found));
        assert_eq!(found.unwrap_or_default(), want, "{body}");
    }

    #[test]
    fn records_that_were_not_stored_are_kept() {
        check(r#"{"code":200,"status":[{"name":"default","successful":3,"failed":0}]}"#, "3 Delivered ");
        check(
            r#"{"code":200,"status":[{"name":"default","successful":2,"failed":1,"error":"too old"}]}"#,
            "3 Dead(Unnamed) the server did not store 1 of 3 records and does not say which; it has the others\ntoo old",
        );
        check(
            r#"{"code":200,"status":[{"failed":3}]}"#,
            "3 Dead(Rejected) the server did not store 3 of 3 records",
        );
        check("It works", "");
        check(r#"{"code":200}"#, "");
    }
}
