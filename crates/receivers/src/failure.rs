//! The end of a request that failed.
//!
//! In: the answer of a server. Out: a verdict over the rows. Holds: nothing. Limits: [`ANSWER_CHARACTERS_MAX`].

use crate::contract::{HoldReason, Verdict, Wait};
use transport::endpoint::OpenError;

/// Longest text of a server that is kept.
pub const ANSWER_CHARACTERS_MAX: usize = 300;

/// The reason why a request failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The verdict over its rows.
    pub verdict: Verdict,
    /// The words of the server, without credentials.
    pub answer: String,
}

impl Failure {
    /// The server cannot be reached.
    pub fn unreachable(answer: impl Into<String>) -> Failure {
        Failure { verdict: Verdict::Later(Wait::Reopen), answer: answer.into() }
    }

    /// Returns true when the connection is of no use any more.
    pub fn is_of_connection(&self) -> bool {
        self.verdict == Verdict::Later(Wait::Reopen)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        match error.is_refusal() {
            true => Failure { verdict: Verdict::Hold(HoldReason::Credentials), answer: error.to_string() },
            false => Failure::unreachable(error.to_string()),
        }
    }
}
