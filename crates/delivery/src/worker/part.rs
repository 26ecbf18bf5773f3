//! Some messages of a batch: what `suppress()` lets a destination's thread write in place of a whole delivery.
//!
//! Holds: the batch and the selection of its messages. Limits: none.

use message::{Batch, Selection};
use std::sync::Arc;

/// Messages to write: some of a delivery, or the summary of repeated ones.
pub(super) struct BatchPart {
    pub(super) batch: Arc<Batch>,
    pub(super) selection: Selection,
}
