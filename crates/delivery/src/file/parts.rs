//! The counters of single files, when messages help to make their names.
//!
//! In: what was written to a file. Out: counters under its path, beside those of the destination. Holds: nothing but
//! them. Limits: [`transport::stats::PARTS_MAX`] files; what is written to others is counted by the destination alone.

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
    /// Seconds since 1970, as of the messages being added.
    pub(super) now_s: u64,
}

/// The counters of one file, while it is open.
pub(super) struct FileCounters(Arc<Counters>);

impl Parts {
    /// For the files of a destination that counts in `whole`.
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
