//! What an error of a broker, or of librdkafka, means.
//!
//! In: codes and words. Out: verdicts. Holds: nothing. Limits: texts are one short line.

use crate::link::failure::Failure;
use delivery::{HoldReason, Verdict, Wait};
use rdkafka::{error::KafkaError, types::RDKafkaErrorCode as Code};
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
        | Code::InvalidTransactionTimeout
        | Code::OffsetMetadataTooLarge
        | Code::InvalidRequiredAcks => Verdict::Hold(HoldReason::Schema),
        Code::TopicAuthorizationFailed | Code::GroupAuthorizationFailed => Verdict::Hold(HoldReason::Access),
        Code::ClusterAuthorizationFailed
        | Code::TransactionalIdAuthorizationFailed
        | Code::SaslAuthenticationFailed
        | Code::Authentication => Verdict::Hold(HoldReason::Credentials),
        Code::QueueFull | Code::ThrottlingQuotaExceeded => Verdict::Later(Wait::Busy),
        _ => Verdict::Later(Wait::BackOff),
    };
    Failure { verdict, answer: describe(code) }
}

/// Judges a record of more bytes than its topic takes.
pub(super) fn too_large(bytes: usize, most: usize) -> Failure {
    let answer = format!("the record has {bytes} bytes, and the topic takes {most} (max.message.bytes)");
    Failure { verdict: Verdict::Dead(DeadReason::TooLarge), answer }
}

/// Judges a record that librdkafka itself does not take: no other one is at fault.
pub(super) fn of_refusal(code: Code) -> Failure {
    let failure = of_report(code);
    match failure.verdict {
        Verdict::Split(reason) => Failure { verdict: Verdict::Dead(reason), ..failure },
        _ => failure,
    }
}

/// Judges a call of a transaction, which no single record makes fail. `id` is the transactional id.
pub(super) fn of_transaction(code: Code, id: &str, words: &str) -> Failure {
    let verdict = match of_report(code).verdict {
        Verdict::Dead(_) | Verdict::Split(_) => Verdict::Later(Wait::BackOff),
        _ if code == Code::OperationTimedOut => Verdict::Later(Wait::Busy),
        verdict => verdict,
    };
    let answer = match code {
        Code::Fenced | Code::ProducerFenced | Code::InvalidProducerEpoch => {
            format!("another producer has the transactional.id {id}: {words}")
        }
        _ => format!("transactions of {id}: {words}"),
    };
    Failure { verdict, answer: plain(&answer) }
}

/// Judges a client that cannot be made: certificates and keys are read then.
pub(super) fn of_creation(error: &KafkaError) -> Failure {
    Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer: plain(&error.to_string()) }
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
