//! Attempts to send rows over a connection that is kept between requests.
//!
//! In: rows. Out: a judgement over each, by its own answer or by what ended the attempt. Holds: nothing.
//! Limits: two attempts, the second only when the kept connection broke before anything was heard: a server that starts again, or
//! that closes connections which rest, is asked over a new connection at once.

use super::{dialogue::LinkError, failure::Failure, verdicts::Verdicts};
use delivery::{Judgement, Row, Verdict};
use std::future::Future;

/// The end of an attempt.
pub(crate) struct Attempt {
    /// Of each row, in order, the answer to it.
    pub(crate) answers: Vec<Option<Result<(), Failure>>>,
    /// The connection broke before anything was heard.
    pub(crate) is_unheard: bool,
    /// Judges the rows without an answer.
    pub(crate) failure: Failure,
}

impl Attempt {
    /// No connection could be opened.
    pub(crate) fn not_connected(rows: usize, failure: Failure) -> Attempt {
        Attempt { answers: vec![None; rows], is_unheard: false, failure }
    }

    /// Returns true when every row has an answer.
    pub(crate) fn is_complete(&self) -> bool {
        self.answers.iter().all(Option::is_some)
    }

    /// Judges the rows, in their order.
    pub(crate) fn judge(self, verdicts: &mut Verdicts) {
        for answer in self.answers {
            match answer.unwrap_or_else(|| Err(self.failure.clone())) {
                Ok(()) => verdicts.push(Verdict::Delivered, ""),
                Err(Failure { verdict, answer }) => verdicts.push(verdict, &answer),
            }
        }
    }
}

/// A connection that is kept between requests.
pub(crate) trait Kept: Send {
    /// Returns true when a connection of an earlier request is open.
    fn is_open(&self) -> bool;

    /// Sends rows over the connection, or over a new one, and reads the answers. Keeps it if it is of use.
    fn attempt(&mut self, rows: &[Row]) -> impl Future<Output = Attempt> + Send;
}

/// Sends rows; once more over a new connection if the kept one was of no use.
pub(crate) async fn attempt(connection: &mut impl Kept, rows: &[Row]) -> Attempt {
    let was_open = connection.is_open();
    match connection.attempt(rows).await {
        Attempt { is_unheard: true, .. } if was_open => connection.attempt(rows).await,
        attempt => attempt,
    }
}

/// Sends rows as [`attempt`], and judges them.
pub(crate) async fn exchange(connection: &mut impl Kept, rows: &[Row]) -> Vec<Judgement> {
    let mut verdicts = Verdicts::default();
    attempt(connection, rows).await.judge(&mut verdicts);
    verdicts.finish(rows.len(), None)
}

/// Returns true when a connection broke, as it does when its server ends.
pub(crate) fn is_broken<T>(done: &Result<T, LinkError>) -> bool {
    matches!(done, Err(LinkError::Io(_)))
}
