//! How batches cross from sources to the pipeline and from the pipeline to destinations.
//!
//! In: batches. Out: batches with a selection of their messages. Holds nothing.
//! Limits: the traits' implementers bound their queues and say so.

mod budget;
mod render;
mod typed;

pub use budget::WriteBudget;
pub use render::{Render, RenderPairs};
pub use typed::{AddTyped, CastError, RenderTyped, TypedValue};

use crate::{Ack, Batch, RecordId, Selection};
use std::sync::Arc;

/// The entrance of the pipeline, which sources pass their batches to.
pub trait Intake: Send + Sync {
    /// Takes a batch of one source, runs the filters and forwards the messages to outlets; never waits for a
    /// destination. `budget` is passed on to the outlets that the batch reaches on this thread.
    fn take(&self, batch: Batch, budget: &WriteBudget);
}

/// The entrance of a destination's queue.
pub trait Outlet: Send + Sync {
    /// Takes the selected messages of a batch, or drops and counts what its queue cannot hold. Never waits.
    /// `Delivery::controlled` is true when the path has flow control: then the queue must accept everything. An
    /// outlet may write on this thread within `budget`; the time of the write itself is not charged to the budget.
    fn deliver(&self, delivery: Delivery, budget: &WriteBudget);
}

/// Some messages of a batch on their way to a destination.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The batch. The router has moved its token to `ack`, so that a queue may keep the messages without it.
    pub batch: Arc<Batch>,
    /// The messages of the batch to deliver.
    pub selection: Selection,
    /// The batch's token. A destination that bounds its own queue drops it at once when the path is not
    /// `controlled`: its queue must not hold the source back. Others keep it until the messages are safe.
    pub ack: Ack,
    /// True when the path has `flags(flow-control)`: the source's window bounds the queue, and nothing may be dropped.
    pub controlled: bool,
    /// The id of the first selected message, if the messages already have ids because they come from a queue on
    /// disk. The ids of the others follow it without a gap.
    pub first: Option<RecordId>,
}

/// Below this share of a batch's messages a delivery is copied out of it.
const SPARSE: usize = 4;

impl Delivery {
    /// Copies the `count` selected messages out of their batch when they are less than a quarter of it: otherwise they
    /// would keep the whole batch in memory for as long as they wait. A batch with `${RCPTID}`s stays as it is.
    pub fn copy_if_sparse(&mut self, count: usize) {
        debug_assert_eq!(count, self.selection.count(), "the number of selected messages");
        if count * SPARSE < self.batch.len() && self.batch.rcptid == 0 {
            let batch = self.batch.copy_of(&self.selection);
            self.selection = Selection::all(batch.len());
            self.batch = Arc::new(batch);
        }
    }
}
