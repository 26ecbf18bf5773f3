//! The meaning of the counts of an answer.
//!
//! In: an answer, the number of values. Out: a verdict over all of them. Holds: nothing. Limits: the words of a server are cut.

use super::protocol::Answer;
use crate::link::failure::{ANSWER_CHARACTERS_MAX, Failure};
use delivery::{Verdict, Wait};
use transport::DeadReason;

/// The words for values that a server does not take: it does not say more.
const REFUSED: &str = "the server does not take the value: it has no enabled item of this host and key with the type \"Zabbix trapper\", \
                       or does not allow it from this address";

/// Judges the values of a request.
pub(super) fn of_answer(answer: &Answer, values: usize) -> Result<(), Failure> {
    let failure = |verdict, answer: String| Err(Failure { verdict, answer });
    match answer {
        Answer::Counted { failed: 0, processed } if *processed >= values => Ok(()),
        Answer::Counted { failed, .. } if *failed >= values => {
            failure(Verdict::Dead(DeadReason::Rejected), REFUSED.to_owned())
        }
        // Some were refused, and nobody says which. A value that is left out of both counts is one that the server cannot read.
        Answer::Counted { .. } => failure(Verdict::Split(DeadReason::Rejected), REFUSED.to_owned()),
        Answer::Failed(words) => {
            let words = words.chars().filter(|character| !character.is_control());
            let words: String = words.take(ANSWER_CHARACTERS_MAX).collect();
            failure(Verdict::Later(Wait::BackOff), format!("the server answered: {words}"))
        }
    }
}
