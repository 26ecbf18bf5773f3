//! Messages and keys by their fate.
//!
//! In: additions, once a batch. Out: sums, readable at any time. Holds: those. Limits: they wrap after 2^64.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Sums of one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LookupCounts {
    /// Messages that got values.
    pub found: u64,
    /// Messages whose key has no values.
    pub missing: u64,
    /// Messages that got values which had expired, or the fact that there were none: the server failed.
    pub stale: u64,
    /// Messages for which there was no answer.
    pub failed: u64,
    /// Keys that the server answered.
    pub answered: u64,
    /// Keys that the server refused, or answered with what cannot be read.
    pub refused: u64,
    /// Keys for which the server failed.
    pub unanswered: u64,
    /// Bytes of the cache.
    pub cache_bytes: u64,
    /// 1 while the server is left alone.
    pub paused: u64,
}

/// The counters of messages and keys.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) found: AtomicU64,
    pub(crate) missing: AtomicU64,
    pub(crate) stale: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) answered: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) unanswered: AtomicU64,
}

impl Counters {
    pub(crate) fn counts(&self) -> LookupCounts {
        let read = |counter: &AtomicU64| counter.load(Relaxed);
        LookupCounts {
            found: read(&self.found),
            missing: read(&self.missing),
            stale: read(&self.stale),
            failed: read(&self.failed),
            answered: read(&self.answered),
            refused: read(&self.refused),
            unanswered: read(&self.unanswered),
            ..LookupCounts::default()
        }
    }

    pub(crate) fn reset(&self) {
        let all = [
            &self.found,
            &self.missing,
            &self.stale,
            &self.failed,
            &self.answered,
            &self.refused,
            &self.unanswered,
        ];
        all.iter().for_each(|counter| counter.store(0, Relaxed));
    }
}

/// Adds a number.
pub(crate) fn add(counter: &AtomicU64, count: usize) {
    if count > 0 {
        counter.fetch_add(count as u64, Relaxed);
    }
}
