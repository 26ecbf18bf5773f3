//! The message from which a row was made.
//!
//! In: a message with its token. Out: the same, when the row is made again, or its letter is written. Holds: the batch and the token.
//! Limits: none.

use message::{Ack, Batch};
use std::sync::Arc;

/// The message of a row.
#[derive(Clone, Debug)]
pub(crate) struct RowSource {
    /// The message, from which a dead letter or a new row is made.
    pub(crate) batch: Arc<Batch>,
    pub(crate) index: usize,
    /// `${SEQNUM}`.
    pub(crate) sequence: u64,
    /// The lane of its key: the rows of a lane are sent one request after the other. `None` without a key.
    pub(crate) lane: Option<u64>,
    /// The token of the message's delivery.
    pub(crate) ack: Ack,
    /// Number of times it was sent.
    pub(crate) attempts: u32,
    /// Its share of the memory of its batch, in bytes: that of the batch, divided by the messages that the destination has of it.
    pub(crate) held_bytes: usize,
}
