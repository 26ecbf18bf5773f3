//! What an answer of a stream, or an error of the server, means.
//!
//! In: JSON of an answer; words of an error. Out: verdicts. Holds: nothing. Limits: [`ANSWER_CHARACTERS_MAX`].

use crate::link::failure::{ANSWER_CHARACTERS_MAX, Failure};
use delivery::{HoldReason, Verdict, Wait};
use serde_json::Value;
use transport::{DeadReason, nats::Complaint};

/// Judges the answer to a publication. `Ok`: the stream has it, also if it had it before.
pub(super) fn of_answer(json: &[u8]) -> Result<(), Failure> {
    let Ok(answer) = serde_json::from_slice::<Value>(json) else {
        // Someone else answers on this subject, who is no stream.
        return Err(hold(
            HoldReason::Schema,
            "the answer is not that of a stream: who listens to this subject?",
        ));
    };
    let Some(error) = answer.get("error") else {
        let is_stored = answer.get("stream").is_some_and(Value::is_string)
            && answer.get("seq").is_some_and(Value::is_u64);
        let why = "the answer is not that of a stream: who listens to this subject?";
        return if is_stored { Ok(()) } else { Err(hold(HoldReason::Schema, why)) };
    };
    let number = |name: &str| error.get(name).and_then(Value::as_u64).unwrap_or(0);
    let words = error.get("description").and_then(Value::as_str).unwrap_or_default();
    let words: String = words.chars().filter(|c| !c.is_control()).take(ANSWER_CHARACTERS_MAX).collect();
    let verdict = match (number("err_code"), number("code")) {
        // The message is larger than the stream takes; so are its headers.
        (10054 | 10097, _) => Verdict::Dead(DeadReason::TooLarge),
        // What the stream demands of a message was not met.
        (10070 | 10071 | 10060 | 10063 | 10193 | 10194, _) => Verdict::Dead(DeadReason::Constraint),
        // No room, by a limit of the stream or of the account; it is sealed.
        (10023 | 10028 | 10047 | 10077 | 10109 | 10122, _) => Verdict::Hold(HoldReason::Quota),
        (10035 | 10039 | 10076, _) => Verdict::Hold(HoldReason::Schema),
        (_, 400) => Verdict::Dead(DeadReason::Rejected),
        (_, 401 | 403) => Verdict::Hold(HoldReason::Access),
        (_, 404) => Verdict::Hold(HoldReason::Schema),
        _ => Verdict::Later(Wait::BackOff),
    };
    Err(Failure { verdict, answer: format!("{} {words}", number("err_code")) })
}

/// Judges a status that came instead of an answer.
pub(super) fn of_status(status: u16) -> Failure {
    match status {
        503 => hold(HoldReason::Schema, "503: no stream takes this subject"),
        _ => Failure { verdict: Verdict::Later(Wait::BackOff), answer: format!("the status is {status}") },
    }
}

/// Judges an error that the server says of the connection. `None`: it is of no message of ours.
pub(super) fn of_error(words: &str) -> Failure {
    let complaint = Complaint::of(words);
    let words: String = words.chars().filter(|c| !c.is_control()).take(ANSWER_CHARACTERS_MAX).collect();
    // The name of a subject may be a message's.
    let words = words.split('"').next().unwrap_or_default().trim_end().to_owned();
    let verdict = match complaint {
        Complaint::Login => Verdict::Hold(HoldReason::Credentials),
        Complaint::Access => Verdict::Hold(HoldReason::Access),
        Complaint::Full => Verdict::Later(Wait::Reopen),
        Complaint::Other => Verdict::Later(Wait::BackOff),
    };
    Failure { verdict, answer: words }
}

fn hold(reason: HoldReason, answer: &str) -> Failure {
    Failure { verdict: Verdict::Hold(reason), answer: answer.to_owned() }
}
