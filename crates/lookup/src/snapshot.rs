//! The segments of a logspace at one moment, and what cannot be read of it.
//!
//! In: views of segments. Out: the same for as long as somebody holds them.
//! Limits: a snapshot keeps its segments open, removed ones too.

use crate::SegmentView;
use std::sync::Arc;

/// The segments of a logspace at one moment. List, bars and facets of one answer use the same snapshot.
#[derive(Clone, Default)]
pub struct Snapshot {
    /// Segments in receive order, the active one last.
    pub segments: Vec<Arc<dyn SegmentView>>,
    /// Sequence number after the newest message.
    pub sequence: u64,
    /// Segments that cannot be read because their key is not there, in receive order.
    pub locked: Vec<Locked>,
    /// Segments that cannot be read because the archive that they are in is not attached.
    pub away: Vec<Locked>,
    /// Segments that cannot be opened at all because their files are damaged.
    pub damaged: Vec<Locked>,
    /// Messages that were acknowledged and that the journal lost, at most: numbers and times around them.
    pub lost: Vec<Locked>,
    /// Messages that are still being read back from the journal after a start, at most.
    pub starting: Option<Locked>,
}

/// Extent of a segment whose key, or whose archive, is not there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Locked {
    /// Sequence number of its first message.
    pub first: u64,
    /// Number of messages.
    pub count: u64,
    /// Received times of the first and the last message, microseconds since 1970.
    pub received_us: (i64, i64),
}
