//! The size from which a broker refuses messages, learnt from its refusals.
//!
//! In: words of refusals, sizes of messages. Out: a judgement over a message that would be refused. Holds: one number.
//! Limits: words of RabbitMQ ("message size 20030 is larger than configured max size 16384"); of other brokers nothing is learnt.
//!
//! Such a refusal ends the connection or the channel, and the messages sent beside it come twice. So what is too large, as far as
//! is known, is tried alone: the broker still decides.

use super::failure::Failure;
use delivery::Verdict;
use std::sync::atomic::{AtomicUsize, Ordering};
use transport::DeadReason;

/// The words before the number.
const WORDS: &str = "larger than configured max size ";

/// Most bytes that a broker takes; as many as there are until it refuses some.
#[derive(Debug)]
pub(crate) struct SizeLimit(AtomicUsize);

impl Default for SizeLimit {
    fn default() -> SizeLimit {
        SizeLimit(AtomicUsize::new(usize::MAX))
    }
}

impl SizeLimit {
    /// Learns the limit, if the words of a refusal have it.
    pub(crate) fn learn(&self, words: &str) {
        let number = words.split_once(WORDS).map(|(_, rest)| rest);
        let digits =
            number.map(|rest| rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap_or(rest));
        if let Some(bytes) = digits.and_then(|digits| digits.parse().ok()) {
            self.0.store(bytes, Ordering::Relaxed);
        }
    }

    /// Forgets a limit that a message of so many bytes disproves: the broker has taken it.
    pub(crate) fn taken(&self, bytes: usize) {
        if bytes > self.0.load(Ordering::Relaxed) {
            self.0.store(usize::MAX, Ordering::Relaxed);
        }
    }

    /// Judges a message of so many bytes that would be sent beside others; none if the broker takes it, as far as is known.
    pub(crate) fn suspect(&self, bytes: usize) -> Option<Failure> {
        let limit = self.0.load(Ordering::Relaxed);
        (bytes > limit).then(|| Failure {
            verdict: Verdict::Suspect(DeadReason::TooLarge),
            answer: format!("it has {bytes} bytes, and the broker has refused messages of more than {limit}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::SizeLimit;

    #[track_caller]
    fn check(words: &str, bytes: usize, want: bool) {
        let limit = SizeLimit::default();
        limit.learn(words);
        assert_eq!(limit.suspect(bytes).is_some(), want);
    }

    #[test]
    fn a_limit_is_learnt_from_words_and_forgotten_when_it_is_wrong() {
        let words = "precondition_failed: message size 30 is larger than configured max size 20";
        check(words, 20, false);
        check(words, 21, true);
        check(
            "PRECONDITION_FAILED - message size 30 is larger than configured max size 20, class 60",
            21,
            true,
        );
        check("message size 30 is larger than configured max size ", usize::MAX, false);
        check("larger than configured max size 99999999999999999999999", usize::MAX, false);
        let limit = SizeLimit::default();
        limit.learn(words);
        limit.taken(20);
        assert!(limit.suspect(21).is_some());
        limit.taken(21);
        assert!(limit.suspect(22).is_none());
    }
}
