//! The state that the threads of a logspace share: its queues, its published segments, its counters.
//!
//! In: what one thread passes to the next. Out: the same; snapshots for queries.
//! Holds: see the fields. Limits: each queue has its bound.

pub(crate) mod draft;
pub(crate) mod live;
pub(crate) mod moves;
pub(crate) mod queue;
pub(crate) mod seal_waiters;
pub(crate) mod segment_set;
pub(crate) mod stats;
pub(crate) mod troubles;

use crate::{
    files::clock::Clock,
    options::{LogspaceOptions, Notice, Notices},
};
use draft::Draft;
use evidence::Keys;
use live::Broadcast;
use lookup::Locked;
use message::{Ack, Batch, Delivery, Repeats, Selection};
use moves::Moves;
use queue::Queue;
use seal_waiters::SealWaiters;
use segment_set::SegmentSet;
use stats::{Counters, LogspaceStats};
use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};
use troubles::Troubles;

/// Messages that are not durable yet. Their source is notified of a failure whenever this is dropped without
/// [`Pending::acknowledge`].
pub(crate) struct Pending {
    pub(crate) batch: Arc<Batch>,
    pub(crate) selection: Selection,
    ack: Option<Ack>,
}

impl Pending {
    /// Acknowledges the messages: they are durable.
    pub(crate) fn acknowledge(mut self) {
        drop(self.ack.take());
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(ack) = self.ack.take() {
            ack.fail();
        }
    }
}

/// Messages that are durable.
pub(crate) struct Stored {
    pub(crate) batch: Arc<Batch>,
    pub(crate) selection: Selection,
    /// Sequence number of the first; the others follow.
    pub(crate) first: u64,
}

/// The limits of the retention.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Retention {
    /// Age of its newest message at which a segment is removed.
    pub age: Option<Duration>,
    /// Size of all sealed segments at which the oldest is removed.
    pub bytes: Option<u64>,
    /// True when nothing may be removed at all.
    pub hold: bool,
}

/// The shared part of a logspace.
pub(crate) struct Shared {
    pub(crate) dir: PathBuf,
    pub(crate) options: LogspaceOptions,
    pub(crate) clock: Arc<dyn Clock>,
    /// The retention in force: a reload may change it.
    pub(crate) retention: Mutex<Retention>,
    pub(crate) notices: Arc<dyn Notices>,
    /// Keys of the users who unlocked the logspace.
    pub(crate) session_keys: Mutex<Keys>,
    /// Messages that wait for the journal.
    pub(crate) inbox: Queue<Pending>,
    /// Durable messages that wait for the builder.
    pub(crate) unbuilt: Queue<Stored>,
    /// Recoded segments that wait for their records.
    pub(crate) drafts: Queue<Draft>,
    pub(crate) live: Broadcast,
    /// Waiting moves to the archive and back.
    pub(crate) moves: Moves,
    /// True when the archive must not be used, as if it were not attached.
    pub(crate) is_detached: AtomicBool,
    /// Callers that wait for the active segment to be sealed.
    pub(crate) seal_waiters: SealWaiters,
    pub(crate) counters: Counters,
    pub(crate) segment_set: SegmentSet,
    pub(crate) troubles: Troubles,
    /// True when an operator confirmed the clock and the sealer has not noticed yet.
    pub(crate) is_confirmed: AtomicBool,
    /// Everything below this number is in sealed segments: the journal may discard it.
    pub(crate) sealed_below: AtomicU64,
    /// Everything acknowledged is below this number.
    pub(crate) durable_below: AtomicU64,
    /// Messages that the journal had at the start and that may come again.
    repeats: OnceLock<Repeats>,
}

impl Shared {
    /// Creates the shared state of a logspace that was just opened.
    pub(crate) fn new(
        dir: &Path,
        options: LogspaceOptions,
        clock: Arc<dyn Clock>,
        notices: Arc<dyn Notices>,
        segment_set: SegmentSet,
        sealed_below: u64,
    ) -> Shared {
        let (age, bytes, hold) = (options.retention_age, options.retention_bytes, options.legal_hold);
        Shared {
            dir: dir.to_owned(),
            inbox: Queue::new(options.queue_bytes_max),
            unbuilt: Queue::new(options.unbuilt_bytes_max),
            drafts: Queue::new(1),
            live: Broadcast::default(),
            seal_waiters: SealWaiters::default(),
            moves: Moves::default(),
            is_detached: AtomicBool::new(false),
            counters: Counters::default(),
            segment_set,
            troubles: Troubles::default(),
            is_confirmed: AtomicBool::new(false),
            sealed_below: AtomicU64::new(sealed_below),
            durable_below: AtomicU64::new(sealed_below),
            repeats: OnceLock::new(),
            retention: Mutex::new(Retention { age, bytes, hold }),
            session_keys: Mutex::default(),
            options,
            clock,
            notices,
        }
    }

    /// Locks the retention in force.
    pub(crate) fn retention(&self) -> MutexGuard<'_, Retention> {
        self.retention.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the keys of the users who unlocked the logspace.
    pub(crate) fn session_keys(&self) -> MutexGuard<'_, Keys> {
        self.session_keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the messages that the journal had at the start.
    pub(crate) fn set_repeats(&self, repeats: Repeats) {
        // Set once, when the logspace opens.
        let _ = self.repeats.set(repeats);
    }

    /// Takes a delivery, or drops and counts it.
    pub(crate) fn deliver(&self, mut delivery: Delivery) {
        if let (Some(repeats), Some(numbering)) = (self.repeats.get(), &delivery.batch.numbering) {
            // Those are stored already.
            repeats.sift(numbering, &mut delivery.selection);
        }
        let count = delivery.selection.count();
        if count == 0 {
            return;
        }
        // With a logspace for each host, a batch has a few messages for each of many.
        delivery.copy_if_sparse(count);
        let Delivery { batch, selection, ack, controlled, .. } = delivery;
        let count = count as u64;
        self.counters.messages_in.fetch_add(count, Ordering::Relaxed);
        let cost = batch.held_bytes() as u64;
        let refused = if controlled {
            self.inbox.force(Pending { batch, selection, ack: Some(ack) }, cost)
        } else {
            // The queue is bounded here and must not hold the source back.
            drop(ack);
            self.inbox.offer(Pending { batch, selection, ack: None }, cost)
        };
        if refused.is_err() {
            let closed = self.inbox.is_closed();
            let counter = if closed { &self.counters.dropped_closed } else { &self.counters.dropped_full };
            counter.fetch_add(count, Ordering::Relaxed);
        }
    }

    /// Records that messages are lost, unless that is known already.
    pub(crate) fn lose(&self, extent: Locked) {
        if self.segment_set.lose(extent) {
            self.troubles.lose(extent);
            self.notices.notice(Notice::Lost { extent });
        }
    }

    /// Notifies the operator, and remembers the notice as the last error.
    pub(crate) fn complain(&self, notice: Notice) {
        // Upkeep is tried again by itself and blocks nothing.
        if !matches!(notice, Notice::UpkeepFailed { .. }) {
            self.counters.failed(&notice.to_string());
        }
        self.notices.notice(notice);
    }

    /// Returns true when no message waits for the journal, and all that are durable are published.
    pub(crate) fn is_quiet(&self) -> bool {
        let counters = &self.counters;
        let stored = counters.messages_stored.load(Ordering::Acquire);
        let dropped = [&counters.dropped_full, &counters.dropped_large, &counters.dropped_closed];
        let dropped: u64 = dropped.into_iter().map(|counter| counter.load(Ordering::Relaxed)).sum();
        // Counted on arrival, before a message is in a queue.
        let arrived = counters.messages_in.load(Ordering::Relaxed);
        let durable_below = self.durable_below.load(Ordering::Relaxed);
        arrived <= stored + dropped && durable_below <= self.segment_set.snapshot().sequence
    }

    /// Returns all counters.
    pub(crate) fn stats(&self) -> LogspaceStats {
        let segment_set = self.segment_set.load();
        let snapshot = self.segment_set.snapshot();
        let counted = self.counters.stats();
        LogspaceStats {
            last_error: self.troubles.with(counted.last_error.clone()),
            starting_messages: snapshot.starting.map_or(0, |starting| starting.count),
            queue_bytes: self.inbox.load(),
            unbuilt_bytes: self.unbuilt.load(),
            segments: segment_set.segments,
            segment_bytes: segment_set.bytes,
            segments_recoded: segment_set.recoded,
            unsealed_messages: segment_set.unsealed_messages,
            sequence: snapshot.sequence,
            subscribers: self.live.count() as u64,
            ..counted
        }
    }
}
