//! The segments that queries see: sealed ones, those being sealed, and the active one.
//!
//! In: what builder and sealer did. Out: snapshots. Holds: the lists, and the snapshot published last.
//! Limits: a snapshot is immutable; taking one is one atomic read.

use crate::{SegmentView, Snapshot};
use arc_swap::ArcSwap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The published segments.
pub(crate) struct Shelf {
    lists: Mutex<Lists>,
    snapshot: ArcSwap<Snapshot>,
}

#[derive(Default)]
struct Lists {
    /// Sealed segments with their sizes, in receive order.
    sealed: Vec<(Arc<dyn SegmentView>, u64)>,
    /// Segments that are complete but not sealed yet, in receive order.
    frozen: Vec<Arc<dyn SegmentView>>,
    active: Option<Arc<dyn SegmentView>>,
    sequence: u64,
}

/// What lies on the shelf.
pub(crate) struct ShelfLoad {
    pub(crate) segments: u64,
    pub(crate) bytes: u64,
    pub(crate) unsealed_messages: u64,
}

impl Shelf {
    /// The shelf of a logspace that was just opened.
    pub(crate) fn new(sealed: Vec<(Arc<dyn SegmentView>, u64)>, sequence: u64) -> Shelf {
        let lists = Lists { sealed, sequence, ..Lists::default() };
        Shelf { snapshot: ArcSwap::from_pointee(lists.snapshot()), lists: Mutex::new(lists) }
    }

    /// What is published.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Publishes what was added to the active segment.
    pub(crate) fn refresh(&self, active: Arc<dyn SegmentView>) {
        self.change(|lists| {
            lists.sequence = lists.sequence.max(active.first_sequence() + u64::from(active.len()));
            lists.active = (!active.is_empty()).then_some(active);
        });
    }

    /// The active segment is complete.
    pub(crate) fn freeze(&self, frozen: Arc<dyn SegmentView>) {
        self.change(|lists| {
            lists.sequence = lists.sequence.max(frozen.first_sequence() + u64::from(frozen.len()));
            lists.active = None;
            lists.frozen.push(frozen);
        });
    }

    /// A complete segment was sealed: the file takes its place.
    pub(crate) fn seal(&self, sealed: Arc<dyn SegmentView>, bytes: u64) {
        self.change(|lists| {
            lists.frozen.retain(|frozen| frozen.first_sequence() != sealed.first_sequence());
            lists.sealed.push((sealed, bytes));
        });
    }

    /// Retention took a segment away.
    pub(crate) fn remove(&self, first: u64) {
        self.change(|lists| lists.sealed.retain(|(sealed, _)| sealed.first_sequence() != first));
    }

    /// Counts.
    pub(crate) fn load(&self) -> ShelfLoad {
        let lists = self.locked();
        let unsealed = lists.frozen.iter().chain(&lists.active);
        ShelfLoad {
            segments: lists.sealed.len() as u64,
            bytes: lists.sealed.iter().map(|(_, bytes)| bytes).sum(),
            unsealed_messages: unsealed.map(|segment| u64::from(segment.len())).sum(),
        }
    }

    fn change(&self, change: impl FnOnce(&mut Lists)) {
        let mut lists = self.locked();
        change(&mut lists);
        self.snapshot.store(Arc::new(lists.snapshot()));
    }

    fn locked(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lists {
    fn snapshot(&self) -> Snapshot {
        let sealed = self.sealed.iter().map(|(segment, _)| segment);
        let segments = sealed.chain(&self.frozen).chain(&self.active).cloned().collect();
        Snapshot { segments, sequence: self.sequence }
    }
}
