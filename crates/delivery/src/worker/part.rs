//! Messages that a destination's thread writes beside or instead of whole deliveries.
//!
//! In: a batch and which of its messages. Out: the same. Holds: them. Limits: none.

use message::{Batch, Selection};
use std::sync::Arc;

/// Messages to write: those of a delivery, or a summary.
pub(super) struct BatchPart {
    pub(super) batch: Arc<Batch>,
    pub(super) selection: Selection,
}
