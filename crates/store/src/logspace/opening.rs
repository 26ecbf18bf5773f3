//! Finds what a logspace has when it is opened: its segments, and the messages that only the journal has.
//!
//! In: a directory, perhaps left by a crash, perhaps changed by somebody. Out: the catalog as it should be, the sealed
//! segments, files that are not the logspace's own; the unsealed messages, given to the builder.
//! Limits: damage costs what it hit and is told; what is not the logspace's own is left where it is.

use super::{
    OpenLogspaceError,
    adoption::{self, Candidate, JournalAnswer, why_not},
    archive::{self, SegmentPlace},
    builder::{Builder, now_us},
    catalog::{Catalog, CatalogError, Entry, Reason, Tombstone},
    cover::Cover,
    layout::{SEGMENT_ENDING, TEMPORARY_ENDING, files_ending, segment_path},
    moving::RESTORED_ENDING,
    options::{EvidenceNotice, Notice, Notices},
    segments::{Outline, Segments},
    shelf::Shelved,
    witness::Witness,
};
use crate::{Locked, ReadError, SegmentView};
use evidence::{Event, Keys, Record};
use journal::{Disk, Journal, Read, Reader};
use message::{Selection, codec};
use std::{
    collections::BTreeSet,
    fs, io,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The sealed segments of a directory.
pub(crate) struct Found {
    pub(crate) catalog: Catalog,
    /// In receive order.
    pub(crate) sealed: Vec<Shelved>,
    /// The catalog was changed and must be written.
    pub(crate) changed: bool,
    /// Files in the place of segments that are not the logspace's own, below its directory.
    pub(crate) foreign: BTreeSet<PathBuf>,
    /// Sentences for the operator that stay true until somebody does something about it.
    pub(crate) troubles: Vec<String>,
}

/// Why the segments cannot be found.
#[derive(Debug)]
pub(crate) enum FindError {
    Io(io::Error),
    Journal(journal::ReadError),
    /// A newer version of the program wrote a file.
    Newer(PathBuf),
}

impl FindError {
    /// The same as a reason why the logspace in a directory cannot be opened.
    pub(crate) fn of(self, dir: &Path) -> OpenLogspaceError {
        match self {
            FindError::Io(source) => OpenLogspaceError::Io { path: dir.to_owned(), source },
            FindError::Journal(error) => OpenLogspaceError::Replay(error),
            FindError::Newer(path) => OpenLogspaceError::Newer { path },
        }
    }
}

impl From<io::Error> for FindError {
    fn from(error: io::Error) -> FindError {
        FindError::Io(error)
    }
}

/// The parts of a logspace that is being opened.
pub(crate) struct Opening<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) segments: &'a dyn Segments,
    pub(crate) keys: &'a Keys,
    pub(crate) witness: &'a mut Witness,
    pub(crate) journal: &'a Journal,
    pub(crate) cover: &'a Cover,
    pub(crate) dir: &'a Path,
    pub(crate) now_us: i64,
    pub(crate) notices: &'a dyn Notices,
}

/// Finds the segments: those that the chain of evidence knows, and those that a crash kept out of it. The chain learns
/// what a crash kept out of it, and what is missing.
pub(crate) fn find_segments(mut opening: Opening<'_>) -> Result<Found, FindError> {
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
    let mut found = Found {
        changed: read.is_none(),
        catalog: read.unwrap_or_default(),
        sealed: Vec::new(),
        foreign: BTreeSet::new(),
        troubles: Vec::new(),
    };
    let is_rebuilt = found.changed;
    if is_rebuilt && !files.is_empty() {
        opening.notices.notice(Notice::CatalogRebuilt);
    }
    let mut candidates: Vec<Candidate> = files.into_iter().map(|path| opening.look_at(path)).collect();
    let recovered = adoption::adopt(&mut opening, &found.catalog, is_rebuilt, &candidates)?;
    found.troubles.extend(opening.witness.key_trouble().map(str::to_owned));
    found.troubles.extend(recovered.map(|notice| notice.to_string()));
    // What was adopted may say where an archive is.
    for candidate in &mut candidates {
        if candidate.place == SegmentPlace::Foreign {
            *candidate = opening.look_at(candidate.path.clone());
        }
    }
    if is_rebuilt {
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

impl Found {
    /// Writes the catalog when it was changed; gives the sequence number after everything that was ever sealed.
    pub(crate) fn write(&self, disk: &dyn Disk, dir: &Path) -> io::Result<u64> {
        if self.changed {
            self.catalog.write(disk, dir)?;
        }
        Ok(self.catalog.end())
    }

    /// A catalog that is made again learns from the chain what was removed.
    fn remember_removals(&mut self, opening: &Opening<'_>) {
        let chain = opening.witness.chain();
        for record in chain.firsts().into_iter().filter_map(|first| chain.last_contents(first)) {
            let Event::Removal(reason) = &record.event else { continue };
            let Some(reason) = Reason::parse(reason) else { continue };
            let removed_us = record.at_us;
            self.catalog.tombstones.push(Tombstone { entry: entry_of(record, 0), reason, removed_us });
        }
    }
}

impl Opening<'_> {
    /// Where a file is, and what can be seen of it.
    fn look_at(&self, path: PathBuf) -> Candidate {
        let place = archive::locate(self.dir, &path, self.witness.chain());
        let outline = place.file(self.dir, &path).map(|file| self.segments.outline(&file));
        Candidate { path, place, outline }
    }

    /// Puts one file where it belongs: among the segments, among those that cannot be read, or among those that are not
    /// the logspace's own.
    fn place(
        &mut self,
        found: &mut Found,
        seen: &mut BTreeSet<u64>,
        candidate: Candidate,
    ) -> Result<(), FindError> {
        let Candidate { path, place, outline } = candidate;
        let first = archive::first_of(&path);
        let chain = self.witness.chain();
        let known = first.and_then(|first| chain.current(first));
        let known =
            known.filter(|record| segment_path(record.segment.received_us.0, record.segment.first) == path);
        let known = known.cloned();
        // What the chain says was removed is not damaged.
        let is_listed = first.is_some_and(|first| chain.last_contents(first).is_none())
            && found.catalog.segments.iter().any(|entry| entry.path == path);
        let file = place.file(self.dir, &path);
        let why = match (outline, file) {
            (Some(Ok(outline)), Some(file)) => match why_not(self.witness, known.as_ref(), &path, &outline) {
                None => match self.take_in(found, &path, &file, &place, outline) {
                    Ok(()) => {
                        seen.extend(first);
                        return Ok(());
                    }
                    Err(error) => return self.keep_unread(found, seen, path, known, &error.to_string()),
                },
                Some(_) if is_removed(self.witness, &outline) => {
                    return Ok(archive::remove(self.dir, &path, self.witness.chain())?);
                }
                Some(why) => why.to_owned(),
            },
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
                // What the chain says was removed leaves a link when the power goes; else it is missing, and told.
                SegmentPlace::Gone if known.is_none() => {
                    return Ok(archive::remove(self.dir, &path, self.witness.chain())?);
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

    /// A file in its place that cannot be read: its messages are not missing, and not there.
    fn keep_unread(
        &self,
        found: &mut Found,
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

    /// Takes in one file of the logspace's own.
    fn take_in(
        &self,
        found: &mut Found,
        path: &Path,
        file: &Path,
        place: &SegmentPlace,
        outline: Outline,
    ) -> Result<(), ReadError> {
        let Outline { first, count, received_us, is_recoded, is_aged, .. } = outline;
        let view = self.open(file)?;
        let io = |source| ReadError::Io { path: file.to_owned(), source };
        let bytes = fs::symlink_metadata(file).map_err(io)?.len();
        let (first_us, last_us) = received_us;
        let entry = Entry { first, count, first_us, last_us, bytes, path: path.to_owned() };
        found.list(entry);
        let is_locked = view.is_none();
        found.sealed.push(Shelved {
            path: path.to_owned(),
            bytes,
            extent: Locked { first, count, received_us },
            view,
            is_locked,
            is_recoded,
            is_aged,
            archived_to: match place {
                SegmentPlace::Archived(target) => Some(target.clone()),
                _ => None,
            },
            is_away: false,
            is_damaged: false,
        });
        Ok(())
    }

    /// The segment of a file; none while it is locked.
    fn open(&self, file: &Path) -> Result<Option<Arc<dyn SegmentView>>, ReadError> {
        match self.segments.open(file, self.keys) {
            Err(ReadError::Locked { .. }) => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Compares what the journal has of a segment's messages with what a file holds: the journal is what was acknowledged.
    pub(super) fn compare_with_journal(
        &self,
        candidate: &Candidate,
        outline: &Outline,
    ) -> Result<JournalAnswer, FindError> {
        let file = candidate.place.file(self.dir, &candidate.path);
        let Some(Ok(view)) = file.map(|file| self.open(&file)) else { return Ok(JournalAnswer::Other) };
        let mut answer = JournalAnswer::Nothing;
        let end = outline.first.saturating_add(outline.count);
        let mut reader = self.journal.reader(outline.first);
        let mut latest_us = i64::MIN;
        while reader.next_sequence() < end {
            let record = match reader.read().map_err(FindError::Journal)? {
                Read::End => break,
                Read::Damage(_) => continue,
                Read::Record(record) => record,
            };
            let sequence = record.sequence;
            let payload = self.cover.open_record(sequence, record.payload);
            let Some(batch) = payload.and_then(|payload| codec::decode(&payload).ok()) else { continue };
            let numbers = sequence.max(outline.first)..(sequence + batch.len() as u64).min(end);
            if numbers.is_empty() {
                continue;
            }
            // Received times never go back in a segment.
            latest_us = latest_us.max(batch.received.unix_us);
            let (from_us, to_us) = outline.received_us;
            let starts = numbers.start == outline.first && latest_us != from_us;
            if starts || (numbers.end == end && latest_us != to_us) {
                return Ok(JournalAnswer::Other);
            }
            if view.as_ref().is_some_and(|view| !adoption::has_messages(&**view, &batch, sequence, numbers)) {
                return Ok(JournalAnswer::Other);
            }
            answer = JournalAnswer::Same;
        }
        Ok(answer)
    }

    /// Says which segments are missing, in chain and catalog.
    fn miss(&mut self, found: &mut Found, seen: &BTreeSet<u64>) -> Result<(), FindError> {
        let chain = self.witness.chain();
        let current: Vec<Record> =
            chain.firsts().into_iter().filter_map(|first| chain.current(first)).cloned().collect();
        for record in current.iter().filter(|record| !seen.contains(&record.segment.first)) {
            let entry = entry_of(record, 0);
            let path = self.dir.join(&entry.path);
            self.notices.notice(Notice::MissingSegment { path });
            self.witness.remove(entry.first, Reason::Missing.name(), self.now_us)?;
            if !found.catalog.segments.iter().any(|known| known.first == entry.first) {
                found.catalog.add(entry);
            }
        }
        Ok(())
    }

    /// Makes the catalog say what the chain says.
    fn reconcile(&mut self, found: &mut Found) {
        let chain = self.witness.chain();
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
        // Numbers that only the catalog speaks of must not hide what the journal has.
        let end = chain.end();
        let is_current = |stone: &Tombstone| {
            let current = chain.current(stone.entry.first);
            current.is_some_and(|record| record.segment.count == stone.entry.count)
        };
        found.catalog.tombstones.retain(|stone| stone.entry.end() <= end && !is_current(stone));
        found.changed |= found.catalog.tombstones.len() != before.tombstones.len();
    }
}

impl Found {
    /// A segment of the chain whose file is not there to be read: it is away, or damaged when `away` is none.
    fn add(&mut self, record: &Record, path: &Path, away: Option<PathBuf>) {
        let known = self.catalog.segments.iter().find(|entry| entry.path == path);
        let entry = entry_of(record, known.map_or(0, |entry| entry.bytes));
        self.list(entry.clone());
        self.sealed.push(unread(&entry, away));
    }

    /// Makes the catalog say this of a segment.
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

/// What a record says of a segment.
fn entry_of(record: &Record, bytes: u64) -> Entry {
    let (first, count) = (record.segment.first, record.segment.count);
    let (first_us, last_us) = record.segment.received_us;
    Entry { first, count, first_us, last_us, bytes, path: segment_path(first_us, first) }
}

/// A segment that cannot be read.
fn unread(entry: &Entry, away: Option<PathBuf>) -> Shelved {
    let Entry { first, count, first_us, last_us, bytes, ref path } = *entry;
    let is_away = away.is_some();
    Shelved {
        path: path.clone(),
        bytes,
        extent: Locked { first, count, received_us: (first_us, last_us) },
        view: None,
        is_locked: false,
        is_recoded: true,
        is_aged: true,
        archived_to: away,
        is_away,
        is_damaged: !is_away,
    }
}

/// Whether a file is what remained of a segment that the retention removed.
fn is_removed(witness: &Witness, outline: &Outline) -> bool {
    let Some(record) = &outline.record else { return false };
    let last = witness.chain().last_contents(record.segment.first);
    let by_retention =
        |record: &Record| matches!(&record.event, Event::Removal(reason) if reason != Reason::Missing.name());
    witness.chain().has(record)
        && record.segment.contents == outline.contents
        && last.is_some_and(|last| by_retention(last) && last.segment.contents == outline.contents)
}

fn is_newer(error: &ReadError) -> bool {
    matches!(error, ReadError::Corrupt { what: "written by a newer version", .. })
}

/// Gives the builder everything below `end` that the journal has and no segment.
pub(crate) fn replay(
    reader: &mut Reader,
    end: u64,
    cover: &Cover,
    builder: &mut Builder,
    notices: &dyn Notices,
) -> Result<(), journal::ReadError> {
    // What is lost is told with the time of what comes behind it.
    let mut lost: Vec<Range<u64>> = Vec::new();
    while reader.next_sequence() < end {
        match reader.read()? {
            Read::End => break,
            Read::Damage(damage) => {
                lost.push(damage.lost.clone());
                notices.notice(Notice::Damage(damage));
            }
            Read::Record(record) => {
                let (sequence, numbers) =
                    (record.sequence, record.sequence..record.sequence + u64::from(record.count));
                let Some(payload) = cover.open_record(sequence, record.payload) else {
                    lost.push(numbers);
                    notices.notice(Notice::Undecipherable { sequence });
                    continue;
                };
                match codec::decode(&payload) {
                    Ok(batch) => {
                        lost.drain(..).for_each(|lost| builder.lose(lost, batch.received.unix_us));
                        builder.add(&batch, &Selection::all(batch.len()), sequence);
                        builder.publish_when_due();
                    }
                    Err(error) => {
                        lost.push(numbers);
                        notices.notice(Notice::Undecodable { sequence, error });
                    }
                }
            }
        }
    }
    // The journal ends before the numbers that were given.
    lost.push(reader.next_sequence()..end);
    let now_us = now_us();
    lost.drain(..).for_each(|lost| builder.lose(lost, now_us));
    builder.publish();
    Ok(())
}
