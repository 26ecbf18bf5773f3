//! Counters of paths and filters, added to once a batch.
//!
//! In: numbers of messages. Out: sums, readable at any time. Limits: they wrap after 2^64.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What a filter let pass and what it stopped.
#[derive(Debug, Default)]
pub struct FilterCounters {
    matched: AtomicU64,
    not_matched: AtomicU64,
}

impl FilterCounters {
    /// Messages for which it held.
    pub fn matched(&self) -> u64 {
        self.matched.load(Relaxed)
    }

    /// Messages for which it did not hold.
    pub fn not_matched(&self) -> u64 {
        self.not_matched.load(Relaxed)
    }

    pub(super) fn add(&self, matched: usize, not_matched: usize) {
        self.matched.fetch_add(matched as u64, Relaxed);
        self.not_matched.fetch_add(not_matched as u64, Relaxed);
    }
}

/// What went into a path and what came to its end or its destinations.
#[derive(Debug, Default)]
pub struct PathCounters {
    ingress: AtomicU64,
    egress: AtomicU64,
}

impl PathCounters {
    /// Messages that entered.
    pub fn ingress(&self) -> u64 {
        self.ingress.load(Relaxed)
    }

    /// Messages that no step of it stopped.
    pub fn egress(&self) -> u64 {
        self.egress.load(Relaxed)
    }

    pub(super) fn add(&self, ingress: usize, egress: usize) {
        self.ingress.fetch_add(ingress as u64, Relaxed);
        self.egress.fetch_add(egress as u64, Relaxed);
    }
}
