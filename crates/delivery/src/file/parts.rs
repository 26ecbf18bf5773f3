//! The counters of single files whose names have parts from messages.
//!
//! In: what was written to a file. Out: counters under its path, beside those of the destination. Holds: only
//! them. Limits: [`transport::stats::PARTS_MAX`] files; messages of further ones are counted by the destination alone.

use stats::Counters;
use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
};
use transport::{Registry, stats};

/// Gives files their counters.
pub(crate) struct Parts {
    registry: Registry,
    whole: Arc<Counters>,
    /// The time of the messages being added, in seconds since 1970.
    pub(super) now_s: u64,
}

/// The counters of one file, while it is open.
pub(super) struct FileCounters(Arc<Counters>);

impl Parts {
    /// Creates the counters for the files of a destination that counts in `whole`.
    pub(crate) fn new(registry: Registry, whole: Arc<Counters>) -> Parts {
        Parts { registry, whole, now_s: 0 }
    }

    /// The counters of a file, from its first write on.
    pub(super) fn open(&self, path: &Path) -> Option<FileCounters> {
        let counters = self.registry.register_part(&self.whole, &path.display().to_string())?;
        counters.own(0);
        Some(FileCounters(counters))
    }

    /// Counts what was written to a file.
    pub(super) fn add(&self, part: &FileCounters, messages: usize, bytes: usize) {
        let FileCounters(counters) = part;
        stats::add(&counters.processed, messages);
        stats::add(&counters.written, messages);
        stats::add(&counters.bytes, bytes);
        counters.stamp_s.store(self.now_s, Ordering::Relaxed);
        stats::add(&self.whole.written_in_parts, messages);
        stats::add(&self.whole.bytes_in_parts, bytes);
    }
}

impl Drop for FileCounters {
    fn drop(&mut self) {
        self.0.disown();
    }
}
