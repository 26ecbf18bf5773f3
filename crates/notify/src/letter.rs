//! A notification on its way.
//!
//! In: a row of the outbox. Out: the same, for the channel that sends it. Holds nothing.

use crate::notice::Notice;

/// A notification that is due.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Letter {
    pub(crate) number: i64,
    /// The same at every attempt.
    pub(crate) id: String,
    pub(crate) created_us: i64,
    pub(crate) content: Notice,
    /// Attempts that failed.
    pub(crate) attempts: u32,
    /// The id of the first notification about its alerts over this channel, if it is not the first itself.
    pub(crate) thread: Option<String>,
}
