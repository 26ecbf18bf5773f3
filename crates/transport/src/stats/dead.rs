//! Dead letters: messages that a receiver will never accept, by reason, and the size of their store.
//!
//! In: dead messages, the size of the store. Out: counts. Holds: them. Limits: the list of reasons is closed.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The reason why a message can never be delivered unchanged. The list is closed: counters and dead letters name these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DeadReason {
    /// The receiver refused it and gave no reason of those below.
    Rejected,
    /// A value is not of the type that the receiver requires.
    Type,
    /// It breaks a rule of the receiver: a unique key, a check, a column that must have a value.
    Constraint,
    /// It is larger than the receiver accepts.
    TooLarge,
    /// The receiver has no place for it: no queue is bound to its key.
    Unroutable,
    /// The name of its table, topic or index is invalid for the receiver.
    BadName,
    /// A template yields a value that is not of the configured type.
    Cast,
    /// It was tried `retries()` times.
    Retries,
    /// The receiver refused some messages of a request and does not say which.
    Unnamed,
}

/// All reasons, in the order of their numbers.
pub const DEAD_REASONS: [DeadReason; 9] = [
    DeadReason::Rejected,
    DeadReason::Type,
    DeadReason::Constraint,
    DeadReason::TooLarge,
    DeadReason::Unroutable,
    DeadReason::BadName,
    DeadReason::Cast,
    DeadReason::Retries,
    DeadReason::Unnamed,
];

impl DeadReason {
    /// Returns the name that counters, dead letters and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            DeadReason::Rejected => "rejected",
            DeadReason::Type => "type",
            DeadReason::Constraint => "constraint",
            DeadReason::TooLarge => "too-large",
            DeadReason::Unroutable => "unroutable",
            DeadReason::BadName => "bad-name",
            DeadReason::Cast => "cast",
            DeadReason::Retries => "retries",
            DeadReason::Unnamed => "unnamed",
        }
    }

    /// Returns the reason with a name; `None` for an unknown name.
    pub fn of_name(name: &str) -> Option<DeadReason> {
        DEAD_REASONS.into_iter().find(|reason| reason.name() == name)
    }
}

/// The dead letters of one destination.
#[derive(Debug, Default)]
pub struct DeadCounts {
    counts: [AtomicU64; DEAD_REASONS.len()],
    /// The destination has a store: its figures are shown.
    is_kept: AtomicBool,
    /// Letters that are stored.
    pub stored: AtomicU64,
    /// Bytes of their files.
    pub stored_bytes: AtomicU64,
    /// Letters that the limits of the store removed, or did not let in.
    pub evicted: AtomicU64,
}

impl DeadCounts {
    /// Returns how many messages are dead for a reason.
    pub fn count(&self, reason: DeadReason) -> u64 {
        self.counts[reason as usize].load(Ordering::Relaxed)
    }

    /// Returns how many messages are dead.
    pub fn total(&self) -> u64 {
        DEAD_REASONS.into_iter().map(|reason| self.count(reason)).sum()
    }

    /// Records that the destination has a store.
    pub fn keep(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }

    /// Returns whether the destination has a store.
    pub fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::Relaxed)
    }

    /// Counts a dead message.
    pub fn add(&self, reason: DeadReason) {
        self.counts[reason as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn reset(&self) {
        self.counts.iter().chain([&self.evicted]).for_each(|count| count.store(0, Ordering::Relaxed));
    }
}
