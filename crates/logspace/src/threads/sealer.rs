//! The sealer thread: writes complete segments to files, and removes old files.
//!
//! In: complete segments; the time. Out: segment files, the catalog, the number below which the journal may be
//! discarded.
//! Holds: the catalog. Limits: one segment at a time; a failed seal is tried again every `retry`, and until then the
//! journal keeps the messages.

mod placing;
mod seal_error;
mod upkeep;

use crate::{
    evidence_log::EvidenceLog,
    files::{
        archive::{self, SegmentPlace},
        catalog::{Catalog, Entry, FileLocation, Reason},
        clock::ClockGuard,
        layout::{TEMPORARY_ENDING, segment_path, sync_folder},
    },
    options::{EvidenceNotice, Notice},
    segments::{Growing, Outline, Segments},
    shared::{
        Shared,
        queue::{PopResult, Queue},
        segment_set::{SealedEntry, SegmentState},
    },
};
use evidence::{Event, Facts, Record};
use journal::{Disk, make_private_folders};
use lookup::{Locked, ReadError};
use seal_error::SealError;
use segment::Sealing;
use std::{
    cell::RefCell,
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Instant,
};

/// Ending of a file that is not the logspace's own and was where a segment belongs.
const FOREIGN_ENDING: &str = "foreign";

/// State that opening hands to the sealer.
pub(crate) struct RecoveredState {
    pub(crate) catalog: Catalog,
    pub(crate) evidence_log: EvidenceLog,
    /// Files that are not the logspace's own, relative to its directory.
    pub(crate) foreign: BTreeSet<PathBuf>,
    pub(crate) clock: ClockGuard,
}

/// The sealer thread's state.
pub(crate) struct Sealer {
    pub(super) shared: Arc<Shared>,
    disk: Arc<dyn Disk>,
    pub(super) segments: Arc<dyn Segments>,
    seals: Arc<Queue<Box<dyn Growing>>>,
    pub(super) catalog: Catalog,
    pub(super) evidence_log: EvidenceLog,
    clock: ClockGuard,
    /// True when the catalog's file is older than the catalog.
    unwritten: bool,
    /// The record of a file that has its final name, which could not be appended to the chain yet.
    unrecorded: Option<Record>,
    /// Files that are not the logspace's own, relative to its directory: no segment overwrites them.
    foreign: BTreeSet<PathBuf>,
}

impl Sealer {
    pub(crate) fn new(
        shared: Arc<Shared>,
        disk: Arc<dyn Disk>,
        segments: Arc<dyn Segments>,
        seals: Arc<Queue<Box<dyn Growing>>>,
        opened: RecoveredState,
    ) -> Sealer {
        let RecoveredState { catalog, evidence_log, foreign, clock } = opened;
        let (unwritten, unrecorded) = (false, None);
        Sealer { shared, disk, segments, seals, catalog, evidence_log, clock, unwritten, unrecorded, foreign }
    }

    /// Works until the queue is closed; messages that are not sealed by then stay in the journal.
    pub(crate) fn run(mut self) {
        loop {
            self.record_losses();
            self.retain(self.shared.clock.wall_us());
            self.place_drafts();
            self.move_segments();
            let interval =
                if self.unwritten { self.shared.options.retry } else { self.shared.options.retention_check };
            match self.seals.take(1, Instant::now() + interval) {
                PopResult::Closed => return,
                PopResult::Nothing => self.segments.rest(),
                PopResult::Items(complete) => {
                    complete.iter().for_each(|segment| self.seal_surely(&**segment))
                }
            }
        }
    }

    /// Seals a segment, retrying until it works or the logspace closes.
    fn seal_surely(&mut self, segment: &dyn Growing) {
        let mut stalled = false;
        while !self.seals.is_closed() {
            match self.seal(segment) {
                Ok(()) => {
                    if stalled {
                        self.shared.counters.recovered();
                    }
                    return;
                }
                Err(error) => {
                    self.shared.counters.seals_failed.fetch_add(1, Relaxed);
                    if !stalled {
                        self.shared.complain(Notice::SealStalled { error: error.to_string() });
                        stalled = true;
                    }
                    self.retain(self.shared.clock.wall_us());
                    self.seals.pause(self.shared.options.retry);
                }
            }
        }
    }
}

impl Sealer {
    /// Writes the segment's file, then its record, then the catalog; then the journal may discard the messages.
    fn seal(&mut self, segment: &dyn Growing) -> Result<(), SealError> {
        assert!(!segment.is_empty(), "a segment without messages");
        let (first_us, last_us) = segment.received_range();
        debug_assert!(first_us <= last_us, "messages in the order of arrival");
        let path = segment_path(first_us, segment.first_sequence());
        let whole = self.shared.dir.join(&path);
        let failed = |source| SealError::Io { path: whole.clone(), source };
        self.make_folders(&path).map_err(failed)?;
        if self.foreign.contains(&path) {
            self.set_aside(&path).map_err(failed)?;
        }
        let record = match self.unrecorded.take().filter(|record| self.is_of(record, segment)) {
            // Part of it may be on disk even without a sync: the file keeps its record.
            Some(record) => Some(record),
            None => self.write(segment, &whole)?,
        };
        let outline = self.segments.outline(&whole).map_err(SealError::Read)?;
        let (first, count) = (segment.first_sequence(), u64::from(segment.len()));
        if (outline.first, outline.count) != (first, count) {
            return Err(SealError::OtherMessages { path: whole });
        }
        let sealed = self.open(&path, outline).map_err(SealError::Read)?;
        let bytes = sealed.bytes;
        let digest = record.as_ref().map(Record::digest).unwrap_or_default();
        if let Some(record) = record {
            // This is the last step that can fail, so that a segment is never in the chain twice.
            if let Err(error) = self.evidence_log.append(record.clone()) {
                self.unrecorded = Some(record);
                return Err(failed(error));
            }
        }
        self.catalog.add(Entry { first, count, first_us, last_us, bytes, path });
        self.unwritten = true;
        self.write_catalog();
        self.shared.segment_set.seal(sealed);
        // The file itself is durable: it is found even without the catalog.
        let below = self.shared.sealed_below.swap(first + count, Relaxed);
        debug_assert!(below <= first, "what is below {below} was sealed before");
        self.shared.seal_waiters.sealed(first + count);
        self.shared.inbox.nudge();
        self.shared.notices.notice(Notice::Sealed { first, messages: count, record: digest });
        Ok(())
    }

    /// Renames a file that is not the logspace's own, because a segment needs its path.
    fn set_aside(&mut self, path: &Path) -> io::Result<()> {
        let whole = self.shared.dir.join(path);
        let aside = whole.with_extension(FOREIGN_ENDING);
        if fs::symlink_metadata(&aside).is_ok() {
            return Err(io::Error::other(format!("{} is in the way: move it elsewhere", aside.display())));
        }
        match fs::rename(&whole, &aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) => {}
            Ok(()) => self.shared.notices.notice(EvidenceNotice::SetAside { path: aside }.into()),
        }
        self.foreign.remove(path);
        Ok(())
    }

    /// Returns true when a record describes a segment and can still be the chain's next.
    fn is_of(&self, record: &Record, segment: &dyn Growing) -> bool {
        record.segment.first == segment.first_sequence() && self.evidence_log.chain().continues(record)
    }

    /// Writes the file under a temporary name, and renames it when it is durable.
    fn write(&self, segment: &dyn Growing, whole: &Path) -> Result<Option<Record>, SealError> {
        let failed = |source| SealError::Io { path: whole.to_owned(), source };
        let temporary = whole.with_extension(TEMPORARY_ENDING);
        // Left by an attempt that failed later.
        let _ = fs::remove_file(&temporary);
        let record = RefCell::new(None);
        let notary = |facts: Facts| {
            let made = self.evidence_log.record(Event::Seal, facts, self.shared.clock.wall_us())?;
            let text = made.print();
            record.replace(Some(made));
            Some(text)
        };
        let sealing = Sealing::for_recipients(&self.shared.options.recipients).with_notary(&notary);
        if let Err(error) = segment.seal(&temporary, &sealing) {
            // An incomplete file only takes space; if it remains, it is removed when the logspace is opened.
            let _ = fs::remove_file(&temporary);
            return Err(SealError::Write(error));
        }
        fs::rename(&temporary, whole).map_err(failed)?;
        sync_folder(whole.parent().unwrap_or(whole)).map_err(failed)?;
        Ok(record.into_inner())
    }

    /// Opens the sealed file, for searching if a key for it is loaded.
    fn open(&self, path: &Path, outline: Outline) -> Result<SealedEntry, ReadError> {
        // Joining leaves a whole path unchanged.
        let whole = self.shared.dir.join(path);
        let state = open_with_keys(&self.shared, &*self.segments, path)?;
        let bytes = match fs::metadata(&whole) {
            Ok(found) => found.len(),
            Err(source) => return Err(ReadError::Io { path: whole, source }),
        };
        let Outline { first, count, received_us, form, .. } = outline;
        let extent = Locked { first, count, received_us };
        Ok(SealedEntry { path: path.to_owned(), bytes, extent, state, form, archived_to: None })
    }

    /// Creates the folders of a segment, each durable in its parent.
    fn make_folders(&self, path: &Path) -> io::Result<()> {
        let mut dir = self.shared.dir.clone();
        for folder in path.parent().into_iter().flatten() {
            let inside = dir.join(folder);
            if !inside.exists() {
                make_private_folders(&inside)?;
                sync_folder(&dir)?;
            }
            dir = inside;
        }
        Ok(())
    }

    /// Removes what the retention no longer allows: from the catalog first, so that after a crash there is a file
    /// too many and not one too few.
    fn retain(&mut self, now_us: i64) {
        let mut retention = *self.shared.retention();
        if !self.may_remove_by_age() {
            retention.age = None;
        }
        if retention.hold {
            (retention.age, retention.bytes) = (None, None);
        }
        let age_us_max = retention.age.map(|age| i64::try_from(age.as_micros()).unwrap_or(i64::MAX));
        let chain = self.evidence_log.chain();
        let place = |entry: &Entry| match archive::locate(&self.shared.dir, &entry.path, chain) {
            SegmentPlace::Here | SegmentPlace::Gone => FileLocation::Here,
            SegmentPlace::Archived(_) => FileLocation::Archived,
            // It is removed when the archive is attached again; a foreign file is never removed.
            SegmentPlace::Away(_) | SegmentPlace::Foreign => FileLocation::Away,
        };
        let expired = self.catalog.expired(now_us, age_us_max, retention.bytes, &place);
        if !expired.is_empty() {
            self.bury(&expired, now_us);
        } else if self.unwritten {
            self.write_catalog();
        }
    }

    fn bury(&mut self, expired: &[(u64, Reason)], now_us: i64) {
        // A segment that the chain says was removed is removed, after a crash at the latest.
        for &(first, reason) in expired {
            if let Err(error) = self.evidence_log.remove(first, reason.name(), now_us) {
                let error = format!("cannot record a removal: {error}");
                return self.shared.complain(Notice::UpkeepFailed { error });
            }
        }
        let before = self.catalog.clone();
        for &(first, reason) in expired {
            self.catalog.bury(first, reason, now_us);
        }
        self.unwritten = true;
        if !self.write_catalog() {
            self.catalog = before;
            return;
        }
        let is_gone = |entry: &&Entry| expired.iter().any(|(first, _)| *first == entry.first);
        for Entry { first, count, path, .. } in before.segments.iter().filter(is_gone) {
            // Counted first: a reader that sees that the segment is gone also sees why.
            self.shared.counters.segments_removed.fetch_add(1, Relaxed);
            self.shared.segment_set.remove(*first);
            if let Err(error) = archive::remove(&self.shared.dir, path, self.evidence_log.chain()) {
                let error = format!("cannot remove {}: {error}", self.shared.dir.join(path).display());
                self.shared.complain(Notice::UpkeepFailed { error });
            }
            self.shared.notices.notice(Notice::Removed { first: *first, messages: *count });
        }
    }

    fn write_catalog(&mut self) -> bool {
        match self.catalog.write(&*self.disk, &self.shared.dir) {
            Ok(()) => {
                self.unwritten = false;
                true
            }
            Err(error) => {
                let error = format!("cannot write the catalog: {error}");
                self.shared.complain(Notice::UpkeepFailed { error });
                false
            }
        }
    }
}

/// Opens a sealed file with the server's keys, or else with the keys of users who unlocked the logspace.
pub(crate) fn open_with_keys(
    shared: &Shared,
    segments: &dyn Segments,
    path: &Path,
) -> Result<SegmentState, ReadError> {
    let whole = shared.dir.join(path);
    match segments.open(&whole, &shared.options.keys) {
        Err(ReadError::Locked { .. }) => {}
        opened => return opened.map(SegmentState::Open),
    }
    let session_keys = shared.session_keys().clone();
    match segments.open(&whole, &session_keys) {
        Err(ReadError::Locked { .. }) => Ok(SegmentState::Locked),
        opened => opened.map(SegmentState::Unlocked),
    }
}

/// Opens segments of an archive that was attached, and closes those of one that was detached.
pub(crate) fn look_for_archive(shared: &Shared, segments: &dyn Segments) {
    let is_detached = shared.is_detached.load(Relaxed);
    shared.segment_set.attach(
        &|target| !is_detached && matches!(archive::locate_archived(target), SegmentPlace::Archived(_)),
        &|path| open_with_keys(shared, segments, path),
    );
}
