//! What it means when the broker ends a channel or a connection, or returns a message.
//!
//! In: a code and words. Out: verdicts. Holds: nothing. Limits: [`ANSWER_CHARACTERS_MAX`] of words.
//!
//! [`ANSWER_CHARACTERS_MAX`]: crate::link::failure::ANSWER_CHARACTERS_MAX

use super::options::Unroutable;
use crate::link::failure::Failure;
use delivery::{HoldReason, Verdict, Wait};
use transport::{DeadReason, amqp::method::Refusal};

/// Judges the end of a channel, or of a connection.
pub(super) fn of_close(refusal: &Refusal) -> Failure {
    let Refusal { code, words } = refusal;
    let verdict = match code {
        311 => Verdict::Split(DeadReason::TooLarge),
        // RabbitMQ's own limit, max_message_size.
        406 if words.contains("message size") => Verdict::Split(DeadReason::TooLarge),
        // It is shut down, or someone has closed the connection.
        320 => Verdict::Later(Wait::Busy),
        402 | 403 | 530 => Verdict::Hold(HoldReason::Access),
        404 | 406 | 503 | 540 => Verdict::Hold(HoldReason::Schema),
        _ => Verdict::Later(Wait::BackOff),
    };
    Failure { verdict, answer: format!("{code} {words}") }
}

/// Judges the end of a connection during the login.
pub(super) fn of_login(refusal: &Refusal) -> Failure {
    let failure = of_close(refusal);
    match (refusal.code, failure.verdict) {
        (403, _) => Failure { verdict: Verdict::Hold(HoldReason::Credentials), ..failure },
        (_, Verdict::Later(_) | Verdict::Split(_)) => Failure::unreachable(failure.answer),
        _ => failure,
    }
}

/// Judges a message that no queue gets. Its routing key may be a message's text, so it stands in the second line.
pub(super) fn of_return(refusal: &Refusal, exchange: &str, key: &str, unroutable: Unroutable) -> Failure {
    let verdict = match unroutable {
        Unroutable::Hold => Verdict::Hold(HoldReason::Schema),
        Unroutable::Dead | Unroutable::Drop => Verdict::Dead(DeadReason::Unroutable),
    };
    let Refusal { code, words } = refusal;
    let answer = format!("{code} {words}: no queue of exchange '{exchange}' gets it\nrouting key '{key}'");
    Failure { verdict, answer }
}

/// Judges what waits while the broker takes nothing.
pub(super) fn of_block(reason: &str) -> Failure {
    Failure {
        verdict: Verdict::Hold(HoldReason::Quota),
        answer: format!("the broker takes no messages now: {reason}"),
    }
}

/// Judges a publication that the broker has refused to take charge of.
pub(super) fn of_nack() -> Failure {
    Failure {
        verdict: Verdict::Later(Wait::BackOff),
        answer: "the broker did not store the message: is a queue full?".to_owned(),
    }
}
