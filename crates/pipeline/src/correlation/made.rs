//! Batches of generated messages, and their targets.
//!
//! In: messages, one by one. Out: batches of them. Holds: the batch that is being filled.
//! Limits: [`MADE_MAX`] messages per batch.

use message::{Ack, Batch, Origin, Stamp};
use std::{fmt, sync::Arc};
use template::ContextMessage;

/// Most messages of one batch of made messages.
const MADE_MAX: usize = 1024;

/// `inject-mode()`: where generated messages continue.
#[derive(Clone, Debug, Default)]
pub enum Inject {
    /// They continue along the path, before the message that caused them.
    #[default]
    PassThrough,
    /// They go to the `internal()` source.
    Internal(Sink),
    /// They continue along the path, and the messages they were made from do not.
    AggregateOnly,
}

/// The receiver of made messages that leave the path.
#[derive(Clone)]
pub struct Sink(pub Arc<dyn Fn(Batch) + Send + Sync>);

impl fmt::Debug for Sink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sink")
    }
}

/// Takes made messages.
pub(crate) struct MadeBatches<'a> {
    batches: &'a mut Vec<Batch>,
    inject: &'a Inject,
    /// Index of the first batch of this run.
    start: usize,
}

impl<'a> MadeBatches<'a> {
    pub(crate) fn new(batches: &'a mut Vec<Batch>, inject: &'a Inject) -> MadeBatches<'a> {
        MadeBatches { start: batches.len(), batches, inject }
    }

    /// Returns the batch that takes the next message.
    pub(super) fn batch(&mut self, received: Stamp) -> &mut Batch {
        let has_room = |batch: &Batch| batch.len() < MADE_MAX;
        if !self.batches[self.start..].last().is_some_and(has_room) {
            self.batches.push(Batch::new(Arc::default(), Vec::new(), received, Ack::none()));
        }
        let last = self.batches.len() - 1;
        &mut self.batches[last]
    }

    /// Hands over what leaves the path.
    pub(crate) fn finish(self) {
        if let Inject::Internal(sink) = self.inject {
            self.batches.drain(self.start..).for_each(|batch| (sink.0)(batch));
        }
    }
}

/// Returns a copy of a message for a context, and its size in bytes.
pub(crate) fn context_message(batch: &Batch, index: usize) -> (ContextMessage, isize) {
    let mut copy = Batch::new(Arc::default(), Vec::new(), batch.received, Ack::none());
    copy.push_copy(batch, index);
    let size = copy.extra.len() + std::mem::size_of::<Batch>() + std::mem::size_of::<Origin>();
    (ContextMessage { batch: Arc::new(copy), index: 0 }, size as isize)
}
