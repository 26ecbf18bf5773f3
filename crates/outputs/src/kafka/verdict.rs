//! What an error of a broker, or of librdkafka, means.
//!
//! In: codes and words. Out: verdicts. Holds: nothing. Limits: texts are one short line.

use crate::link::failure::Failure;
use delivery::{HoldReason, Verdict, Wait};
use rdkafka::types::RDKafkaErrorCode as Code;
use transport::{DeadReason, kafka::plain};

/// Judges the report of a record that was not stored.
pub(super) fn of_report(code: Code) -> Failure {
    let verdict = match code {
        // Brokers measure a whole batch of records, and refuse it for one of them.
        Code::MessageSizeTooLarge | Code::MessageBatchTooLarge => Verdict::Split(DeadReason::TooLarge),
        Code::InvalidRecord | Code::InvalidTimestamp | Code::PolicyViolation => {
            Verdict::Split(DeadReason::Constraint)
        }
        Code::InvalidMessageSize | Code::InvalidRequest => Verdict::Split(DeadReason::Rejected),
        Code::InvalidTopic => Verdict::Dead(DeadReason::BadName),
        Code::UnknownTopic
        | Code::UnknownTopicOrPartition
        | Code::UnknownPartition
        | Code::UnsupportedForMessageFormat
        | Code::UnsupportedVersion
        | Code::UnsupportedCompressionType
        | Code::UnsupportedFeature
        | Code::InvalidRequiredAcks => Verdict::Hold(HoldReason::Schema),
        Code::TopicAuthorizationFailed => Verdict::Hold(HoldReason::Access),
        Code::ClusterAuthorizationFailed
        | Code::TransactionalIdAuthorizationFailed
        | Code::SaslAuthenticationFailed
        | Code::Authentication => Verdict::Hold(HoldReason::Credentials),
        Code::QueueFull | Code::ThrottlingQuotaExceeded => Verdict::Later(Wait::Busy),
        _ => Verdict::Later(Wait::BackOff),
    };
    Failure { verdict, answer: describe(code) }
}

/// Judges a record that librdkafka itself does not take: no other one is at fault.
pub(super) fn of_refusal(code: Code) -> Failure {
    let failure = of_report(code);
    match failure.verdict {
        Verdict::Split(reason) => Failure { verdict: Verdict::Dead(reason), ..failure },
        _ => failure,
    }
}

/// Judges what librdkafka says of its connections. `None`: it waits for nothing that we have to know of.
pub(super) fn of_connections(code: Code, words: &str) -> Option<Failure> {
    let verdict = match code {
        Code::Authentication
        | Code::SaslAuthenticationFailed
        | Code::UnsupportedSASLMechanism
        | Code::ClusterAuthorizationFailed
        | Code::SSL => Verdict::Hold(HoldReason::Credentials),
        // One broker of several may be away: only when all are, nothing can be sent.
        Code::AllBrokersDown => Verdict::Later(Wait::Reopen),
        _ => return None,
    };
    Some(Failure { verdict, answer: plain(words) })
}

fn describe(code: Code) -> String {
    // "MessageSizeTooLarge (Broker: Message size too large)": its words are in the parentheses.
    let text = code.to_string();
    plain(&text)
}
