//! The end of a request that failed.
//!
//! In: the answer of a database. Out: a verdict over the rows. Holds: nothing. Limits: [`ANSWER_CHARACTERS_MAX`].

use delivery::{Verdict, Wait};

/// Longest text of a server that is kept.
pub(super) const ANSWER_CHARACTERS_MAX: usize = 300;
/// Most tables whose columns a connection knows to be there.
pub(super) const TABLES_KNOWN_MAX: usize = 10_000;

/// The reason why a request failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Failure {
    pub(super) verdict: Verdict,
    pub(super) answer: String,
}

impl Failure {
    /// The server cannot be reached.
    pub(super) fn unreachable(answer: impl Into<String>) -> Failure {
        Failure { verdict: Verdict::Later(Wait::Reopen), answer: answer.into() }
    }

    /// Returns whether the connection is of no use any more.
    pub(super) fn is_of_connection(&self) -> bool {
        self.verdict == Verdict::Later(Wait::Reopen)
    }
}
