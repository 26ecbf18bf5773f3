//! Finds what exists when a logspace is opened: its segments, and files that are not its own.
//!
//! In: a directory, perhaps left by a crash or changed by someone. Out: the catalog as it should be, the sealed
//! segments, files that are not the logspace's own.
//! Limits: damage affects only the files it hit and is reported; files that are not the logspace's own are left alone.

mod adoption;
mod comparison;
mod error;
mod parts;

pub use error::OpenLogspaceError;
pub(crate) use parts::Opening;

use crate::{
    evidence_log::EvidenceLog,
    files::{
        archive::{self, SegmentPlace},
        catalog::{Catalog, CatalogError, Entry, Reason, Tombstone},
        layout::{RESTORED_ENDING, SEGMENT_ENDING, TEMPORARY_ENDING, files_ending, segment_path},
    },
    options::{EvidenceNotice, Notice},
    segments::Outline,
    shared::segment_set::{SealedEntry, SegmentState},
};
use adoption::{CatalogSource, why_not};
use evidence::{Event, Record};
use journal::Disk;
use lookup::{Locked, ReadError};
use parts::{Candidate, FindError};
use segment::SegmentForm;
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

/// The sealed segments of a directory.
pub(crate) struct FoundSegments {
    pub(crate) catalog: Catalog,
    /// In receive order.
    pub(crate) sealed: Vec<SealedEntry>,
    /// True when the catalog was changed and must be written.
    pub(crate) changed: bool,
    /// Files at the paths of segments that are not the logspace's own, relative to its directory.
    pub(crate) foreign: BTreeSet<PathBuf>,
    /// Sentences for the operator that stay true until someone fixes the cause.
    pub(crate) troubles: Vec<String>,
}

/// Finds the segments: those in the chain of evidence, and those that a crash kept out of it. The latter, and
/// missing segments, are recorded in the chain.
pub(crate) fn find_segments(mut opening: Opening<'_>) -> Result<FoundSegments, FindError> {
    let dir = opening.dir;
    for path in files_ending(dir, TEMPORARY_ENDING)?.into_iter().chain(files_ending(dir, RESTORED_ENDING)?) {
        fs::remove_file(dir.join(path))?;
    }
    let files = files_ending(dir, SEGMENT_ENDING)?;
    let read = match Catalog::read(opening.disk, dir) {
        Err(CatalogError::Newer(path)) => return Err(FindError::Newer(path)),
        Err(CatalogError::Io(error)) => return Err(error.into()),
        Ok(read) => read,
    };
    let mut found = FoundSegments {
        changed: read.is_none(),
        catalog: read.unwrap_or_default(),
        sealed: Vec::new(),
        foreign: BTreeSet::new(),
        troubles: Vec::new(),
    };
    let source = if found.changed { CatalogSource::Segments } else { CatalogSource::File };
    if source == CatalogSource::Segments && !files.is_empty() {
        opening.notices.notice(Notice::CatalogRebuilt);
    }
    let mut candidates: Vec<Candidate> = files.into_iter().map(|path| opening.look_at(path)).collect();
    let recovered = adoption::adopt(&mut opening, &found.catalog, source, &candidates)?;
    found.troubles.extend(opening.evidence_log.key_trouble().map(str::to_owned));
    found.troubles.extend(recovered.map(|notice| notice.to_string()));
    // An adopted record may say where an archive is.
    for candidate in &mut candidates {
        if candidate.place == SegmentPlace::Foreign {
            *candidate = opening.look_at(candidate.path.clone());
        }
    }
    if source == CatalogSource::Segments {
        found.remember_removals(&opening);
    }
    let mut seen = BTreeSet::new();
    for candidate in candidates {
        opening.place(&mut found, &mut seen, candidate)?;
    }
    opening.miss(&mut found, &seen)?;
    opening.reconcile(&mut found);
    found.sealed.sort_by_key(|sealed| sealed.extent.first);
    Ok(found)
}

impl FoundSegments {
    /// Writes the catalog when it was changed; returns the sequence number after everything that was ever sealed.
    pub(crate) fn write(&self, disk: &dyn Disk, dir: &Path) -> io::Result<u64> {
        if self.changed {
            self.catalog.write(disk, dir)?;
        }
        Ok(self.catalog.end())
    }

    /// Adds the removals that the chain records to a rebuilt catalog.
    fn remember_removals(&mut self, opening: &Opening<'_>) {
        let chain = opening.evidence_log.chain();
        for record in chain.firsts().into_iter().filter_map(|first| chain.last_contents(first)) {
            let Event::Removal(reason) = &record.event else { continue };
            let Some(reason) = Reason::parse(reason) else { continue };
            let removed_us = record.at_us;
            self.catalog.tombstones.push(Tombstone { entry: entry_of(record, 0), reason, removed_us });
        }
    }
}

impl Opening<'_> {
    /// Sorts a file into one of three groups: segments, segments that cannot be read, and files that are not the
    /// logspace's own.
    fn place(
        &mut self,
        found: &mut FoundSegments,
        seen: &mut BTreeSet<u64>,
        candidate: Candidate,
    ) -> Result<(), FindError> {
        let Candidate { path, place, outline } = candidate;
        let first = archive::first_of(&path);
        let chain = self.evidence_log.chain();
        let known = first.and_then(|first| chain.current(first));
        let known =
            known.filter(|record| segment_path(record.segment.received_us.0, record.segment.first) == path);
        let known = known.cloned();
        // A segment that the chain says was removed is not damaged.
        let is_listed = first.is_some_and(|first| chain.last_contents(first).is_none())
            && found.catalog.segments.iter().any(|entry| entry.path == path);
        let file = place.file(self.dir, &path);
        let why = match (outline, file) {
            (Some(Ok(outline)), Some(file)) => {
                match why_not(self.evidence_log, known.as_ref(), &path, &outline) {
                    None => match self.take_in(found, &path, &file, &place, outline) {
                        Ok(()) => {
                            seen.extend(first);
                            return Ok(());
                        }
                        Err(error) => return self.keep_unread(found, seen, path, known, &error.to_string()),
                    },
                    Some(_) if is_removed(self.evidence_log, &outline) => {
                        return Ok(archive::remove(self.dir, &path, self.evidence_log.chain())?);
                    }
                    Some(why) => why.to_owned(),
                }
            }
            (Some(Err(error)), _) if known.is_some() || is_listed => {
                if is_newer(&error) {
                    return Err(FindError::Newer(self.dir.join(path)));
                }
                return self.keep_unread(found, seen, path, known, &error.to_string());
            }
            (Some(Err(error)), _) => error.to_string(),
            (None, _) => match place {
                SegmentPlace::Away(target) => {
                    let Some(record) = known else { return Ok(()) };
                    seen.extend(first);
                    found.add(&record, &path, Some(target));
                    return Ok(());
                }
                // A segment that the chain says was removed may leave a link at a loss of power; otherwise it is
                // missing, and reported.
                SegmentPlace::Gone if known.is_none() => {
                    return Ok(archive::remove(self.dir, &path, self.evidence_log.chain())?);
                }
                SegmentPlace::Gone => return Ok(()),
                _ => "it is a link that no record of an archive explains, or no file at all".to_owned(),
            },
            (Some(Ok(_)), None) => return Ok(()),
        };
        let notice: Notice = EvidenceNotice::ForeignSegment { path: self.dir.join(&path), why }.into();
        found.troubles.push(notice.to_string());
        self.notices.notice(notice);
        if let Some(record) = known {
            seen.extend(first);
            found.add(&record, &path, None);
        }
        found.foreign.insert(path);
        Ok(())
    }

    /// Keeps a file at its proper path that cannot be read: its messages are not missing, but cannot be read
    /// either.
    fn keep_unread(
        &self,
        found: &mut FoundSegments,
        seen: &mut BTreeSet<u64>,
        path: PathBuf,
        known: Option<Record>,
        error: &str,
    ) -> Result<(), FindError> {
        self.notices.notice(Notice::BadSegment { path: self.dir.join(&path), error: error.to_owned() });
        seen.extend(archive::first_of(&path));
        if let Some(record) = known {
            found.add(&record, &path, None);
        } else if let Some(entry) = found.catalog.segments.iter().find(|entry| entry.path == path).cloned() {
            found.sealed.push(unread(&entry, None));
        }
        Ok(())
    }

    /// Adds a file of the logspace's own.
    fn take_in(
        &self,
        found: &mut FoundSegments,
        path: &Path,
        file: &Path,
        place: &SegmentPlace,
        outline: Outline,
    ) -> Result<(), ReadError> {
        let Outline { first, count, received_us, form, .. } = outline;
        let view = self.open(file)?;
        let io = |source| ReadError::Io { path: file.to_owned(), source };
        let bytes = fs::symlink_metadata(file).map_err(io)?.len();
        let (first_us, last_us) = received_us;
        let entry = Entry { first, count, first_us, last_us, bytes, path: path.to_owned() };
        found.list(entry);
        found.sealed.push(SealedEntry {
            path: path.to_owned(),
            bytes,
            extent: Locked { first, count, received_us },
            state: view.map_or(SegmentState::Locked, SegmentState::Open),
            form,
            archived_to: match place {
                SegmentPlace::Archived(target) => Some(target.clone()),
                _ => None,
            },
        });
        Ok(())
    }

    /// Records missing segments in chain and catalog.
    fn miss(&mut self, found: &mut FoundSegments, seen: &BTreeSet<u64>) -> Result<(), FindError> {
        let chain = self.evidence_log.chain();
        let current: Vec<Record> =
            chain.firsts().into_iter().filter_map(|first| chain.current(first)).cloned().collect();
        for record in current.iter().filter(|record| !seen.contains(&record.segment.first)) {
            let entry = entry_of(record, 0);
            let path = self.dir.join(&entry.path);
            self.notices.notice(Notice::MissingSegment { path });
            self.evidence_log.remove(entry.first, Reason::Missing.name(), self.now_us)?;
            if !found.catalog.segments.iter().any(|known| known.first == entry.first) {
                found.catalog.add(entry);
            }
        }
        Ok(())
    }

    /// Makes the catalog agree with the chain.
    fn reconcile(&mut self, found: &mut FoundSegments) {
        let chain = self.evidence_log.chain();
        let before = found.catalog.clone();
        for entry in before.segments {
            let reason = match chain.last_contents(entry.first).map(|record| &record.event) {
                Some(Event::Removal(reason)) => Reason::parse(reason).unwrap_or(Reason::Missing),
                Some(_) => continue,
                None if found.sealed.iter().any(|sealed| sealed.extent.first == entry.first) => continue,
                None => {
                    self.notices
                        .notice(EvidenceNotice::UnknownSegment { path: self.dir.join(&entry.path) }.into());
                    Reason::Missing
                }
            };
            found.catalog.bury(entry.first, reason, self.now_us);
            found.changed = true;
        }
        // Numbers that only the catalog has must not hide messages of the journal.
        let end = chain.end();
        let is_current = |stone: &Tombstone| {
            let current = chain.current(stone.entry.first);
            current.is_some_and(|record| record.segment.count == stone.entry.count)
        };
        found.catalog.tombstones.retain(|stone| stone.entry.end() <= end && !is_current(stone));
        found.changed |= found.catalog.tombstones.len() != before.tombstones.len();
    }
}

impl FoundSegments {
    /// Adds a segment of the chain whose file cannot be read: it is away, or damaged when `away` is none.
    fn add(&mut self, record: &Record, path: &Path, away: Option<PathBuf>) {
        let known = self.catalog.segments.iter().find(|entry| entry.path == path);
        let entry = entry_of(record, known.map_or(0, |entry| entry.bytes));
        self.list(entry.clone());
        self.sealed.push(unread(&entry, away));
    }

    /// Adds or replaces the catalog's entry of a segment.
    fn list(&mut self, entry: Entry) {
        match self.catalog.segments.iter_mut().find(|known| known.first == entry.first) {
            Some(known) if *known == entry => {}
            Some(known) => (*known, self.changed) = (entry, true),
            None => {
                self.catalog.add(entry);
                self.changed = true;
            }
        }
    }
}

/// Returns the catalog's entry of a segment, from its record.
fn entry_of(record: &Record, bytes: u64) -> Entry {
    let (first, count) = (record.segment.first, record.segment.count);
    let (first_us, last_us) = record.segment.received_us;
    Entry { first, count, first_us, last_us, bytes, path: segment_path(first_us, first) }
}

/// Returns the entry of a segment that cannot be read.
fn unread(entry: &Entry, away: Option<PathBuf>) -> SealedEntry {
    let Entry { first, count, first_us, last_us, bytes, ref path } = *entry;
    let state = if away.is_some() { SegmentState::Away } else { SegmentState::Damaged };
    SealedEntry {
        path: path.clone(),
        bytes,
        extent: Locked { first, count, received_us: (first_us, last_us) },
        state,
        // The form is unknown: it will not be recoded.
        form: SegmentForm::Aged,
        archived_to: away,
    }
}

/// Returns true when a file is left over from a segment that the retention removed.
fn is_removed(evidence_log: &EvidenceLog, outline: &Outline) -> bool {
    let Some(record) = &outline.record else { return false };
    let last = evidence_log.chain().last_contents(record.segment.first);
    let by_retention =
        |record: &Record| matches!(&record.event, Event::Removal(reason) if reason != Reason::Missing.name());
    evidence_log.chain().has(record)
        && record.segment.contents == outline.contents
        && last.is_some_and(|last| by_retention(last) && last.segment.contents == outline.contents)
}

fn is_newer(error: &ReadError) -> bool {
    matches!(error, ReadError::Corrupt { what: "written by a newer version", .. })
}
