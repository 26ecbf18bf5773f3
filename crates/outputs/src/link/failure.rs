//! The end of a request that failed.
//!
//! In: the answer of a server. Out: a verdict over the rows. Holds: nothing. Limits: [`ANSWER_CHARACTERS_MAX`].

use delivery::{Verdict, Wait};

/// Longest text of a server that is kept.
pub(crate) const ANSWER_CHARACTERS_MAX: usize = 300;

/// The reason why a request failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failure {
    pub(crate) verdict: Verdict,
    pub(crate) answer: String,
}

impl Failure {
    /// The server cannot be reached.
    pub(crate) fn unreachable(answer: impl Into<String>) -> Failure {
        Failure { verdict: Verdict::Later(Wait::Reopen), answer: answer.into() }
    }

    /// Returns true when the connection is of no use any more.
    pub(crate) fn is_of_connection(&self) -> bool {
        self.verdict == Verdict::Later(Wait::Reopen)
    }
}
