//! What an error of a STOMP broker means.
//!
//! In: its words: the protocol has no codes. Out: verdicts. Holds: nothing. Limits: [`ANSWER_CHARACTERS_MAX`].
//!
//! The words are those of RabbitMQ, ActiveMQ and Artemis. An error that is none of them is about a message that the broker will not
//! have: it is looked for by halving the batch.

use crate::link::failure::{ANSWER_CHARACTERS_MAX, Failure};
use delivery::{HoldReason, Verdict, Wait};
use transport::DeadReason;

/// Words, and what they mean; the first that occur count.
const MEANINGS: [(&[&str], Verdict); 6] = [
    (
        &["message size", "frame size", "too large", "max frame", "maximum size", "data length"],
        Verdict::Split(DeadReason::TooLarge),
    ),
    (
        &[
            "bad connect",
            "authentication",
            "access refused for user",
            "invalid credentials",
            "username or password",
            "security",
        ],
        Verdict::Hold(HoldReason::Credentials),
    ),
    (
        &["access_refused", "access refused", "not authorized", "permission", "denied"],
        Verdict::Hold(HoldReason::Access),
    ),
    (
        &["resource", "memory limit", "store is full", "storage", "no space", "quota", "usage"],
        Verdict::Hold(HoldReason::Quota),
    ),
    (
        &[
            "unknown destination",
            "invalid destination",
            "not_found",
            "not found",
            "no queue",
            "does not exist",
            "no exchange",
            "vhost",
            "virtual host",
            "precondition_failed",
        ],
        Verdict::Hold(HoldReason::Schema),
    ),
    (
        &["shutdown", "shutting down", "connection_forced", "stopped", "stopping", "server is starting"],
        Verdict::Later(Wait::Busy),
    ),
];

/// Judges an error about what was sent.
pub(super) fn of_error(words: &str) -> Failure {
    let lower = words.to_lowercase();
    let meant = MEANINGS.iter().find(|(known, _)| known.iter().any(|word| lower.contains(word)));
    let verdict = meant.map_or(Verdict::Split(DeadReason::Rejected), |(_, verdict)| *verdict);
    Failure { verdict, answer: answer(words) }
}

/// Judges an error about a login.
pub(super) fn of_login(words: &str) -> Failure {
    let failure = of_error(words);
    match failure.verdict {
        Verdict::Later(_) => Failure::unreachable(failure.answer),
        Verdict::Hold(HoldReason::Schema) => failure,
        _ => Failure { verdict: Verdict::Hold(HoldReason::Credentials), ..failure },
    }
}

/// Judges a broker that speaks another version.
pub(super) fn of_version(version: &str) -> Failure {
    let version = if version.is_empty() { "1.0" } else { version };
    Failure {
        verdict: Verdict::Hold(HoldReason::Schema),
        answer: format!("the broker speaks STOMP {}, not 1.2", answer(version)),
    }
}

/// Returns the words in one line.
fn answer(words: &str) -> String {
    let words: String = words
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(ANSWER_CHARACTERS_MAX)
        .collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
