//! The counters of sources and destinations, with the meaning that syslog-ng gives them.
//!
//! In: additions, once per batch. Out: a list of plain structs that others print as CSV or Prometheus text.
//! Holds: one [`Counters`] for each component, id and instance, also after its owner is gone (state orphaned).
//! Limits: [`ENTRIES_MAX`] entries; later ones are counted together under the instance `...`. At most
//! [`PARTS_MAX`] of them are parts: files whose names have parts from messages. Later ones have no part.

mod dead;
mod refusal;

pub use dead::{DEAD_REASONS, DeadCounts, DeadReason};
pub use refusal::{REFUSAL_REASONS, RefusalCounts, RefusalReason};

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering},
    },
    time::Instant,
};

/// Most entries of a registry: instances may be named by peers and messages.
pub const ENTRIES_MAX: usize = 10_000;

/// Most entries that are parts: so that files cannot use up the entries of connections.
pub const PARTS_MAX: usize = 5_000;

/// Severities of syslog.
pub const SEVERITIES: usize = 8;

/// Instance that counts for all that no longer fit.
const OTHERS: &str = "...";

/// Presence of the owner of some counters: the fourth column of syslog-ng's CSV.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// `a`: it is there.
    Active,
    /// `o`: the configuration no longer has it.
    Orphaned,
}

/// The reason why messages were dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DropReason {
    /// The queue was full, and the path has no flow control or the destination drops the newest.
    QueueFull,
    /// The queue was full, and the destination drops the oldest.
    QueueFullOldest,
    /// The queue was full, and the destination drops the least severe.
    QueueFullSeverity,
    /// The file that the message names cannot be written, now or ever (a folder of that name, no permission).
    Unwritable,
    /// The receiver refused them permanently (an HTTP 400, a document that does not fit its index).
    Refused,
    /// The disk buffer that held them was damaged.
    Damaged,
    /// The destination was stopped or removed before it could write.
    Stopped,
    /// The same message came shortly before, and `suppress()` only counts such repetitions.
    Suppressed,
}

/// The counters of one source or destination. All numbers are totals but `queued`, `memory_usage`,
/// `connections` and the window's, which go up and down.
#[derive(Debug, Default)]
pub struct Counters {
    /// First column: `src.network`, `dst.file`, ...
    pub component: String,
    /// Second column: name of the statement and number of the driver, `s_net#0`.
    pub id: String,
    /// Third column: the thing that is read or written.
    pub instance: String,
    orphaned: AtomicU8,
    /// True when it counts a part of what another entry of the same component and id counts as a whole.
    is_part: bool,
    /// The messages of `written` that parts count as well.
    pub written_in_parts: AtomicU64,
    /// The bytes of `bytes` that parts count as well.
    pub bytes_in_parts: AtomicU64,
    /// Set for a source of this machine: the messages that it receives are not those of other hosts.
    pub hears_machine: AtomicBool,
    /// Threads of destinations that count here: while one is changed two may do.
    owners: AtomicU64,
    /// Messages received, or taken for a destination (dropped ones included).
    pub processed: AtomicU64,
    /// Messages that a destination wrote.
    pub written: AtomicU64,
    /// The messages of `written` that went over the protocol of `fallback()`.
    pub written_by_fallback: AtomicU64,
    /// Messages waiting in a queue.
    pub queued: AtomicU64,
    /// Bytes held by a queue.
    pub memory_usage: AtomicU64,
    /// Messages dropped as [`DropReason::QueueFull`].
    pub dropped_queue_full: AtomicU64,
    /// Messages dropped as [`DropReason::QueueFullOldest`].
    pub dropped_queue_full_oldest: AtomicU64,
    /// Messages dropped as [`DropReason::QueueFullSeverity`].
    pub dropped_queue_full_severity: AtomicU64,
    /// Messages dropped because a queue was full, by severity from emergency to debug. Those of a shared log, which are
    /// not read when they are dropped, are missing.
    pub shed_by_severity: [AtomicU64; SEVERITIES],
    /// Messages dropped as [`DropReason::Unwritable`].
    pub dropped_unwritable: AtomicU64,
    /// Messages dropped as [`DropReason::Refused`].
    pub dropped_refused: AtomicU64,
    /// Messages dropped as [`DropReason::Damaged`].
    pub dropped_damaged: AtomicU64,
    /// Bytes of a queue on disk.
    pub disk_usage: AtomicU64,
    /// Most bytes of it; 0 for destinations without one.
    pub disk_capacity: AtomicU64,
    /// Messages dropped as [`DropReason::Stopped`].
    pub dropped_stopped: AtomicU64,
    /// Messages dropped as [`DropReason::Suppressed`].
    pub dropped_suppressed: AtomicU64,
    /// Open connections.
    pub connections: AtomicU64,
    /// Connections refused or closed in favour of others, by reason.
    pub refusals: RefusalCounts,
    /// Dead letters.
    pub dead: DeadCounts,
    /// Datagrams that the kernel dropped because the receive buffer was full.
    pub kernel_dropped: AtomicU64,
    /// Bytes received or written.
    pub bytes: AtomicU64,
    /// Errors of the socket or file.
    pub errors: AtomicU64,
    /// Frames that were malformed or longer than `log-msg-size()`, datagrams that held nothing usable; of a destination,
    /// messages that were cut because its datagrams hold no more.
    pub frame_errors: AtomicU64,
    /// Time of the last message, seconds since 1970.
    pub stamp_s: AtomicU64,
    /// Why nothing can currently be written to a disk of this machine: sources may be held back.
    trouble: Mutex<Option<String>>,
}

impl Counters {
    /// Returns the state: whether the configuration still has the owner.
    pub fn state(&self) -> State {
        if self.orphaned.load(Ordering::Relaxed) == 0 { State::Active } else { State::Orphaned }
    }

    /// Returns true when it counts a part of what another entry of the same component and id counts as a whole.
    pub fn is_part(&self) -> bool {
        self.is_part
    }

    /// Returns why nothing can be written to a disk of this machine at present.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records that nothing can be written, or that writing works again.
    pub fn set_trouble(&self, trouble: Option<String>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }

    /// Messages dropped for any reason.
    pub fn dropped(&self) -> u64 {
        [
            &self.dropped_queue_full,
            &self.dropped_queue_full_oldest,
            &self.dropped_queue_full_severity,
            &self.dropped_unwritable,
            &self.dropped_refused,
            &self.dropped_damaged,
            &self.dropped_stopped,
            &self.dropped_suppressed,
        ]
        .iter()
        .map(|counter| counter.load(Ordering::Relaxed))
        .sum()
    }

    /// Counts messages of each severity that were dropped because a queue was full; they are counted as dropped besides.
    pub fn add_shed(&self, severities: &[usize; SEVERITIES]) {
        for (total, count) in self.shed_by_severity.iter().zip(severities).filter(|(_, count)| **count > 0) {
            add(total, *count);
        }
    }

    /// Messages dropped for one reason.
    pub fn dropped_for(&self, reason: DropReason) -> &AtomicU64 {
        match reason {
            DropReason::QueueFull => &self.dropped_queue_full,
            DropReason::QueueFullOldest => &self.dropped_queue_full_oldest,
            DropReason::QueueFullSeverity => &self.dropped_queue_full_severity,
            DropReason::Unwritable => &self.dropped_unwritable,
            DropReason::Refused => &self.dropped_refused,
            DropReason::Damaged => &self.dropped_damaged,
            DropReason::Stopped => &self.dropped_stopped,
            DropReason::Suppressed => &self.dropped_suppressed,
        }
    }

    /// Sets the totals to zero; gauges stay. Waiting messages count as just received, so that
    /// `processed = written + dead + dropped + queued` still holds.
    pub fn reset(&self) {
        let totals = [
            &self.written,
            &self.written_by_fallback,
            &self.dropped_queue_full,
            &self.dropped_queue_full_oldest,
            &self.dropped_queue_full_severity,
            &self.dropped_unwritable,
            &self.dropped_refused,
            &self.dropped_damaged,
            &self.dropped_stopped,
            &self.dropped_suppressed,
            &self.kernel_dropped,
            &self.bytes,
            &self.errors,
            &self.frame_errors,
            &self.written_in_parts,
            &self.bytes_in_parts,
        ];
        let totals = totals.into_iter().chain(&self.shed_by_severity);
        totals.for_each(|total| total.store(0, Ordering::Relaxed));
        self.refusals.reset();
        self.dead.reset();
        self.processed.store(self.queued.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Counts a refused connection.
    pub fn refuse(&self, reason: RefusalReason, now: Instant) {
        self.refusals.add(reason, now);
    }

    /// A destination counts here from now on. `waiting` messages wait on its disk from an earlier time: they count as
    /// taken, once.
    pub fn own(&self, waiting: u64) {
        // Messages without an owner have been on disk since their destination was removed from the configuration.
        let known = match self.owners.fetch_add(1, Ordering::Relaxed) {
            0 => self.queued.swap(waiting, Ordering::Relaxed),
            _ => {
                self.queued.fetch_add(waiting, Ordering::Relaxed);
                0
            }
        };
        self.processed.fetch_add(waiting.wrapping_sub(known), Ordering::Relaxed);
    }

    /// It counts here no more.
    pub fn disown(&self) {
        if self.owners.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.orphan();
        }
    }

    /// Records that its owner is gone.
    pub fn orphan(&self) {
        self.orphaned.store(1, Ordering::Relaxed);
    }
}

/// Adds to a counter.
#[inline]
pub fn add(counter: &AtomicU64, count: usize) {
    counter.fetch_add(count as u64, Ordering::Relaxed);
}

/// Subtracts from a gauge.
#[inline]
pub fn subtract(counter: &AtomicU64, count: usize) {
    counter.fetch_sub(count as u64, Ordering::Relaxed);
}

/// All counters of the program. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Registry(Arc<Mutex<Entries>>);

/// By component, id and instance.
type Entries = BTreeMap<(String, String, String), Arc<Counters>>;

impl Registry {
    /// The counters of a component, made when they are new, back to life when they were orphaned.
    pub fn register(&self, component: &str, id: &str, instance: &str) -> Arc<Counters> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = (component.to_owned(), id.to_owned(), instance.to_owned());
        if entries.len() >= ENTRIES_MAX && !entries.contains_key(&key) {
            key.2 = OTHERS.to_owned();
        }
        let (component, id, instance) = key.clone();
        let fresh = || Arc::new(Counters { component, id, instance, ..Counters::default() });
        let entry = entries.entry(key).or_insert_with(fresh);
        entry.orphaned.store(0, Ordering::Relaxed);
        entry.clone()
    }

    /// Registers counters of a part of `whole`: one of its files. None when there are too many, or when the name is
    /// taken by an entry that is not a part. Orphaned entries are removed first.
    pub fn register_part(&self, whole: &Counters, instance: &str) -> Option<Arc<Counters>> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (whole.component.clone(), whole.id.clone(), instance.to_owned());
        if let Some(known) = entries.get(&key) {
            known.orphaned.store(0, Ordering::Relaxed);
            return known.is_part.then(|| known.clone());
        }
        let parts = |entries: &Entries| entries.values().filter(|entry| entry.is_part).count();
        if entries.len() >= PARTS_MAX && parts(&entries) >= PARTS_MAX {
            entries.retain(|_, entry| !entry.is_part || entry.state() == State::Active);
        }
        if entries.len() >= ENTRIES_MAX || entries.len() >= PARTS_MAX && parts(&entries) >= PARTS_MAX {
            return None;
        }
        let (component, id, instance) = key.clone();
        let entry = Arc::new(Counters { component, id, instance, is_part: true, ..Counters::default() });
        entries.insert(key, entry.clone());
        Some(entry)
    }

    /// All entries, by component, id and instance.
    pub fn list(&self) -> Vec<Arc<Counters>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Removes the entries whose owner is gone (`syslog-ng-ctl stats --remove-orphans`).
    /// and returns them.
    pub fn remove_orphans(&self) -> Vec<Arc<Counters>> {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = entries.values().filter(|entry| entry.state() == State::Orphaned).cloned().collect();
        entries.retain(|_, entry| entry.state() == State::Active);
        gone
    }

    /// Sets the totals to zero (`syslog-ng-ctl stats --reset`); gauges stay.
    pub fn reset(&self) {
        self.list().iter().for_each(|entry| entry.reset());
    }
}

#[cfg(test)]
mod tests;
