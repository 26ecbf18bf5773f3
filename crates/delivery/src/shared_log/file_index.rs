//! Which consumers have messages in each file of a shared log: a destination that gets few messages does not read
//! the files that have none of it.
//!
//! In: entries as they are written. Out: where a consumer can continue. Holds: a number for each file.
//! Limits: files from before the start are taken to have messages of all.

use message::codec::shared::ConsumerSet;
use std::collections::BTreeMap;

/// The consumers of each file, by its first sequence number.
#[derive(Default)]
pub(super) struct FileIndex(BTreeMap<u64, ConsumerSet>);

impl FileIndex {
    /// Begins with files of which nothing is known.
    pub(super) fn new(starts: &[u64]) -> FileIndex {
        FileIndex(starts.iter().map(|start| (*start, ConsumerSet::ALL)).collect())
    }

    /// Notes entries in the file that begins at `start`.
    pub(super) fn note(&mut self, start: u64, consumers: ConsumerSet) {
        let known = self.0.entry(start).or_default();
        *known = known.or(consumers);
    }

    /// Forgets the files before the one that begins at `start`.
    pub(super) fn prune(&mut self, start: u64) {
        self.0 = self.0.split_off(&start);
    }

    /// Returns where a consumer that has come to `at` can continue, when files without its messages follow. `end` is
    /// the end of the log.
    pub(super) fn skip(&self, at: u64, number: usize, end: u64) -> Option<u64> {
        let mut to = at;
        loop {
            let (_, consumers) = self.0.range(..=to).next_back()?;
            if consumers.has(number) || to >= end {
                return (to > at).then_some(to);
            }
            to = self.0.range(to + 1..).next().map_or(end, |(start, _)| *start);
        }
    }
}
