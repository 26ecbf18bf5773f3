//! The messages of a correlation, as templates see them.
//!
//! In: the earlier messages of a context, oldest first. Out: the same. Holds: the messages.
//! Limits: the owner of a context bounds its size.

use message::Batch;
use std::sync::Arc;

/// One message of a context.
#[derive(Clone, Debug)]
pub struct ContextMessage {
    /// The batch that holds it.
    pub batch: Arc<Batch>,
    /// Index of the message in the batch.
    pub index: usize,
}

/// The messages before the one that is rendered, oldest first.
pub type Context = Vec<ContextMessage>;
