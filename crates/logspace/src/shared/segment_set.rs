//! The segments that queries see: sealed ones, those being sealed, and the active one.
//!
//! In: changes by builder and sealer. Out: snapshots. Holds: the lists, and the snapshot published last.
//! Limits: a snapshot is immutable; taking one is one atomic read.

use arc_swap::ArcSwap;
use lookup::{Locked, ReadError, SegmentView, Snapshot};
use segment::SegmentForm;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The published segments.
pub(crate) struct SegmentSet {
    lists: Mutex<Lists>,
    snapshot: ArcSwap<Snapshot>,
}

/// A sealed segment.
#[derive(Clone)]
pub(crate) struct SealedEntry {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) extent: Locked,
    pub(crate) state: SegmentState,
    pub(crate) form: SegmentForm,
    /// The path of its file in an archive; none when it is in the logspace's directory.
    pub(crate) archived_to: Option<PathBuf>,
}

/// The state of a sealed segment: readable, or the reason why not.
#[derive(Clone)]
pub(crate) enum SegmentState {
    /// It is not encrypted, or the server's own keys open it.
    Open(Arc<dyn SegmentView>),
    /// The keys of users who unlocked the logspace open it, until the logspace is locked again.
    Unlocked(Arc<dyn SegmentView>),
    /// No loaded key opens it.
    Locked,
    /// It is in an archive that is not attached.
    Away,
    /// Its file cannot be opened.
    Damaged,
}

impl SegmentState {
    /// Returns the segment, when it can be read.
    pub(crate) fn view(&self) -> Option<&Arc<dyn SegmentView>> {
        match self {
            SegmentState::Open(view) | SegmentState::Unlocked(view) => Some(view),
            SegmentState::Locked | SegmentState::Away | SegmentState::Damaged => None,
        }
    }
}

impl SealedEntry {
    /// Returns the file to open: relative to the logspace's directory, or the whole path in the archive.
    pub(crate) fn file(&self) -> &Path {
        self.archived_to.as_deref().unwrap_or(&self.path)
    }

    /// Returns true when it can be made smaller: it can be read, is not in the archive, and all its messages were
    /// received before a time.
    fn can_be_recoded(&self, before_us: i64) -> bool {
        self.extent.received_us.1 <= before_us && self.archived_to.is_none() && self.state.view().is_some()
    }
}

#[derive(Clone, Default)]
struct Lists {
    /// Sealed segments in receive order.
    sealed: Vec<SealedEntry>,
    /// Segments that are complete but not sealed yet, in receive order.
    frozen: Vec<Arc<dyn SegmentView>>,
    active: Option<Arc<dyn SegmentView>>,
    sequence: u64,
    /// Messages that the journal lost, in the order found.
    lost: Vec<Locked>,
    starting: Option<Starting>,
}

/// Messages that are being read back from the journal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Starting {
    /// The sequence number after the last of them.
    pub(crate) end: u64,
    /// When reading began, microseconds since 1970.
    pub(crate) until_us: i64,
}

/// Counters of the set.
pub(crate) struct SegmentSetLoad {
    pub(crate) segments: u64,
    pub(crate) bytes: u64,
    pub(crate) recoded: u64,
    pub(crate) unsealed_messages: u64,
}

impl SegmentSet {
    /// Creates the set of a logspace that was just opened.
    pub(crate) fn new(
        sealed: Vec<SealedEntry>,
        sequence: u64,
        lost: Vec<Locked>,
        starting: Option<Starting>,
    ) -> SegmentSet {
        let lists = Lists { sealed, sequence, lost, starting, ..Lists::default() };
        SegmentSet { snapshot: ArcSwap::from_pointee(lists.snapshot()), lists: Mutex::new(lists) }
    }

    /// Returns the published snapshot.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// Records that messages are lost; returns false when that is known already.
    pub(crate) fn lose(&self, extent: Locked) -> bool {
        let is_known = |known: &Locked| {
            known.first <= extent.first && extent.first + extent.count <= known.first + known.count
        };
        if self.locked().lost.iter().any(is_known) {
            return false;
        }
        self.change(|lists| lists.lost.push(extent));
        true
    }

    /// Returns the received time of the newest visible message.
    pub(crate) fn newest_us(&self) -> Option<i64> {
        self.locked().newest_us()
    }

    /// Records that everything below a number was read back from the journal.
    pub(crate) fn started(&self, end: u64) {
        self.change(|lists| {
            lists.starting = None;
            lists.sequence = lists.sequence.max(end);
        });
    }

    /// Publishes what was added to the active segment.
    pub(crate) fn refresh(&self, active: Arc<dyn SegmentView>) {
        self.change(|lists| {
            lists.sequence = lists.sequence.max(active.first_sequence() + u64::from(active.len()));
            lists.active = (!active.is_empty()).then_some(active);
        });
    }

    /// Adds the active segment, which is complete, to those that wait for sealing.
    pub(crate) fn freeze(&self, frozen: Arc<dyn SegmentView>) {
        self.change(|lists| {
            lists.sequence = lists.sequence.max(frozen.first_sequence() + u64::from(frozen.len()));
            lists.active = None;
            lists.frozen.push(frozen);
        });
    }

    /// Replaces a complete segment by its sealed file.
    pub(crate) fn seal(&self, sealed: SealedEntry) {
        debug_assert!(sealed.extent.count > 0, "a segment without messages");
        self.change(|lists| {
            lists.frozen.retain(|frozen| frozen.first_sequence() != sealed.extent.first);
            lists.sealed.push(sealed);
        });
    }

    /// Replaces a segment by its recoded form. Readers of the old one keep it until they are done.
    pub(crate) fn replace(&self, new: SealedEntry) {
        self.change(|lists| {
            let old = lists.sealed.iter_mut().filter(|sealed| sealed.extent.first == new.extent.first);
            old.for_each(|sealed| *sealed = new.clone());
        });
    }

    /// Returns the oldest segment that can be read and is not recoded, whose messages were all received before a
    /// time: its first sequence number and its path.
    pub(crate) fn unrecoded(&self, before_us: i64, but: &BTreeSet<u64>) -> Option<(u64, PathBuf)> {
        self.oldest_of(SegmentForm::Sealed, before_us, but)
    }

    /// Like [`Self::unrecoded`], for segments that are recoded and not aged.
    pub(crate) fn unaged(&self, before_us: i64, but: &BTreeSet<u64>) -> Option<(u64, PathBuf)> {
        self.oldest_of(SegmentForm::Recoded, before_us, but)
    }

    fn oldest_of(&self, form: SegmentForm, before_us: i64, but: &BTreeSet<u64>) -> Option<(u64, PathBuf)> {
        let lists = self.locked();
        let mut waiting = lists.sealed.iter().filter(|sealed| {
            sealed.form == form && sealed.can_be_recoded(before_us) && !but.contains(&sealed.extent.first)
        });
        waiting.next().map(|sealed| (sealed.extent.first, sealed.path.clone()))
    }

    /// Opens locked segments; returns how many could be opened.
    pub(crate) fn unlock(&self, open: &dyn Fn(&Path) -> Option<Arc<dyn SegmentView>>) -> usize {
        // Opening takes time, so the lock is not held.
        let locked = |sealed: &&SealedEntry| matches!(sealed.state, SegmentState::Locked);
        let waiting: Vec<SealedEntry> = self.locked().sealed.iter().filter(locked).cloned().collect();
        let opened: Vec<(PathBuf, Arc<dyn SegmentView>)> = waiting
            .into_iter()
            .filter_map(|sealed| open(sealed.file()).map(|view| (sealed.path, view)))
            .collect();
        let count = opened.len();
        self.change(|lists| {
            for (path, view) in opened {
                let known = lists.sealed.iter_mut().filter(|sealed| sealed.path == path);
                known.for_each(|sealed| sealed.state = SegmentState::Unlocked(Arc::clone(&view)));
            }
        });
        count
    }

    /// Returns the published snapshot with those locked segments that `open` can open.
    pub(crate) fn snapshot_with(&self, open: &dyn Fn(&Path) -> Option<Arc<dyn SegmentView>>) -> Snapshot {
        let mut lists = self.locked().clone();
        for sealed in lists.sealed.iter_mut().filter(|sealed| matches!(sealed.state, SegmentState::Locked)) {
            if let Some(view) = open(sealed.file()) {
                sealed.state = SegmentState::Unlocked(view);
            }
        }
        lists.snapshot()
    }

    /// Returns the existing sealed files, oldest first: relative to the logspace's directory, or whole paths.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let lists = self.locked();
        let there = lists.sealed.iter().filter(|sealed| !matches!(sealed.state, SegmentState::Away));
        there.map(|sealed| sealed.file().to_owned()).collect()
    }

    /// Closes the segments that were unlocked.
    pub(crate) fn lock(&self) {
        self.change(|lists| {
            for sealed in &mut lists.sealed {
                if let SegmentState::Unlocked(_) = sealed.state {
                    sealed.state = SegmentState::Locked;
                }
            }
        });
    }

    /// Removes a segment that the retention removed.
    pub(crate) fn remove(&self, first: u64) {
        self.change(|lists| lists.sealed.retain(|sealed| sealed.extent.first != first));
    }

    /// Changes the location of a segment's file.
    pub(crate) fn place(&self, path: &Path, state: SegmentState, archived_to: Option<PathBuf>) {
        self.change(|lists| {
            for sealed in lists.sealed.iter_mut().filter(|sealed| sealed.path == path) {
                (sealed.archived_to, sealed.state) = (archived_to.clone(), state.clone());
            }
        });
    }

    /// Opens archived segments that are there, and closes those that are not.
    pub(crate) fn attach(
        &self,
        is_there: &dyn Fn(&Path) -> bool,
        open: &dyn Fn(&Path) -> Result<SegmentState, ReadError>,
    ) {
        let known: Vec<(PathBuf, PathBuf, bool)> = {
            let lists = self.locked();
            let place = |sealed: &SealedEntry| {
                let is_away = matches!(sealed.state, SegmentState::Away);
                sealed.archived_to.clone().map(|target| (sealed.path.clone(), target, is_away))
            };
            lists.sealed.iter().filter_map(place).collect()
        };
        // Checking and opening take time, so the lock is not held.
        let came_or_went = known.into_iter().filter(|(_, target, is_away)| is_there(target) == *is_away);
        let changed: Vec<_> = came_or_went
            .filter_map(|(path, target, is_away)| match is_away {
                true => open(&target).ok().map(|state| (path, state)),
                false => Some((path, SegmentState::Away)),
            })
            .collect();
        if changed.is_empty() {
            return;
        }
        self.change(|lists| {
            for (path, state) in changed {
                let known = lists.sealed.iter_mut().filter(|sealed| sealed.path == path);
                known.for_each(|sealed| sealed.state = state.clone());
            }
        });
    }

    /// Returns the number of archived segments, and how many of them are away.
    pub(crate) fn archived(&self) -> (u64, u64) {
        let lists = self.locked();
        let archived = lists.sealed.iter().filter(|sealed| sealed.archived_to.is_some());
        archived.fold((0, 0), |(all, away), sealed| {
            (all + 1, away + u64::from(matches!(sealed.state, SegmentState::Away)))
        })
    }

    /// Returns the counters.
    pub(crate) fn load(&self) -> SegmentSetLoad {
        let lists = self.locked();
        let unsealed = lists.frozen.iter().chain(&lists.active);
        SegmentSetLoad {
            segments: lists.sealed.len() as u64,
            bytes: lists.sealed.iter().map(|sealed| sealed.bytes).sum(),
            recoded: lists.sealed.iter().filter(|sealed| sealed.form >= SegmentForm::Recoded).count() as u64,
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
        debug_assert!(
            self.sealed
                .iter()
                .all(|sealed| sealed.archived_to.is_some() || !matches!(sealed.state, SegmentState::Away)),
            "a segment is away that is in no archive"
        );
        let sealed = self.sealed.iter().filter_map(|sealed| sealed.state.view());
        let segments = sealed.chain(&self.frozen).chain(&self.active).cloned().collect();
        let unread = |why: fn(&SegmentState) -> bool| {
            let unread = self.sealed.iter().filter(move |sealed| why(&sealed.state));
            unread.map(|sealed| sealed.extent).collect()
        };
        Snapshot {
            segments,
            sequence: self.sequence,
            locked: unread(|state| matches!(state, SegmentState::Locked)),
            away: unread(|state| matches!(state, SegmentState::Away)),
            damaged: unread(|state| matches!(state, SegmentState::Damaged)),
            lost: self.lost.clone(),
            starting: self.starting.and_then(|starting| self.still_to_come(starting)),
        }
    }

    /// Returns the extent of the messages that were not read back yet.
    fn still_to_come(&self, Starting { end, until_us }: Starting) -> Option<Locked> {
        let count = end.checked_sub(self.sequence).filter(|count| *count > 0)?;
        let from_us = self.newest_us().unwrap_or(0).min(until_us);
        Some(Locked { first: self.sequence, count, received_us: (from_us, until_us) })
    }

    /// Returns the received time of the newest message.
    fn newest_us(&self) -> Option<i64> {
        let sealed = self.sealed.last().map(|sealed| sealed.extent.received_us.1);
        let unsealed = self.active.as_ref().or(self.frozen.last()).map(|view| view.received_range().1);
        unsealed.or(sealed)
    }
}

#[cfg(test)]
mod tests;
