//! The segments of a logspace at one moment, and the parts that cannot be read.
//!
//! In: views of segments. Out: the same for as long as the snapshot is held.
//! Limits: a snapshot keeps its segments open, including removed ones.

use crate::SegmentView;
use std::sync::Arc;

/// The segments of a logspace at one moment. The rows, buckets and facets of one answer use the same snapshot.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// Segments in receive order, the active one last.
    pub segments: Vec<Arc<dyn SegmentView>>,
    /// Sequence number after the newest message.
    pub sequence: u64,
    /// Segments that cannot be read because their key is not loaded, in receive order.
    pub locked: Vec<Locked>,
    /// Segments that cannot be read because the archive that they are in is not attached.
    pub away: Vec<Locked>,
    /// Segments that cannot be opened at all because their files are damaged.
    pub damaged: Vec<Locked>,
    /// Upper bounds of acknowledged messages that the journal lost: ranges of numbers and times.
    pub lost: Vec<Locked>,
    /// Upper bound of the messages that are still being read back from the journal after a start.
    pub starting: Option<Locked>,
}

/// Extent of a segment that cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Locked {
    /// Sequence number of its first message.
    pub first: u64,
    /// Number of messages.
    pub count: u64,
    /// Received times of the first and the last message, microseconds since 1970.
    pub received_us: (i64, i64),
}
