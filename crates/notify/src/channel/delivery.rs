//! The result of an attempt.
//!
//! In: an answer, or a failure. Out: what follows from it. Holds the words of the receiver.

use std::time::Duration;

/// The result of an attempt, with the answer of the receiver or the failure in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Delivery {
    /// The receiver has it.
    Done(String),
    /// It is tried again; perhaps the receiver has said when.
    Later {
        /// The answer.
        answer: String,
        /// The pause that the receiver asks for.
        wait: Option<Duration>,
    },
    /// The receiver will never take it.
    Never(String),
    /// The receiver does not want anything any more.
    Gone(String),
}

impl Delivery {
    /// A failure without an answer.
    pub(super) fn failed(reason: impl ToString) -> Delivery {
        Delivery::Later { answer: reason.to_string(), wait: None }
    }
}
