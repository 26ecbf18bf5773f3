//! What opening a logspace finds: its segments, and the messages that only the journal has.
//!
//! In: a directory, perhaps left by a crash. Out: the catalog as it should be, the sealed segments, the journal; the
//! unsealed messages, given to the builder.
//! Limits: damage costs what it hit and is told; it never keeps a logspace from opening.

use super::{
    archive::{self, Where},
    builder::Builder,
    catalog::{Catalog, Entry, Reason},
    cover::Cover,
    layout::{SEGMENT_ENDING, TEMPORARY_ENDING, files_ending},
    moving::RESTORED_ENDING,
    options::{Notice, Notices},
    segments::{Outline, Segments},
    shelf::Shelved,
    witness::Witness,
};
use crate::{Event, Keys, Locked, ReadError, Record};
use journal::{Disk, Read, Reader};
use message::{Selection, codec};
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

/// The sealed segments of a directory.
pub(crate) struct Found {
    pub(crate) catalog: Catalog,
    /// In receive order.
    pub(crate) sealed: Vec<Shelved>,
    /// The catalog was changed and must be written.
    pub(crate) changed: bool,
}

/// Finds the segments: those of the catalog, and those that a crash kept out of it. The chain of evidence learns
/// what a crash kept out of it, and what is missing.
pub(crate) fn find_segments(
    disk: &dyn Disk,
    segments: &dyn Segments,
    keys: &Keys,
    witness: &mut Witness,
    dir: &Path,
    now_us: i64,
    notices: &dyn Notices,
) -> io::Result<Found> {
    for path in files_ending(dir, TEMPORARY_ENDING)?.into_iter().chain(files_ending(dir, RESTORED_ENDING)?) {
        fs::remove_file(dir.join(path))?;
    }
    let files: BTreeSet<PathBuf> = files_ending(dir, SEGMENT_ENDING)?.into_iter().collect();
    let read = Catalog::read(disk, dir)?;
    let mut found = Found { changed: read.is_none(), catalog: read.unwrap_or_default(), sealed: Vec::new() };
    if found.changed && !files.is_empty() {
        notices.notice(Notice::CatalogRebuilt);
    }
    finish_removals(&mut found, witness, now_us);
    let mut records = Vec::new();
    for path in files {
        let place = archive::locate(&dir.join(&path));
        if found.catalog.is_buried(&path) && !matches!(place, Where::Away(_)) {
            archive::remove(&dir.join(&path))?;
            continue;
        }
        if matches!(place, Where::Away(_)) {
            take_in_unread(&mut found, witness, path, Unread::Away);
            continue;
        }
        match take_in(&mut found, segments, keys, dir, &path) {
            Ok(record) => records.extend(record.map(|record| (record, dir.join(&path)))),
            Err(error) => {
                // It is there, though it is of no use: it is not missing.
                notices.notice(Notice::BadSegment { path: dir.join(&path), error: error.to_string() });
                take_in_unread(&mut found, witness, path, Unread::Damaged);
            }
        }
    }
    records.sort_by_key(|(record, _)| record.number);
    for (record, path) in &records {
        witness.adopt(record, path, notices)?;
    }
    for entry in found.catalog.segments.clone() {
        if archive::locate(&dir.join(&entry.path)) == Where::Gone {
            notices.notice(Notice::MissingSegment { path: dir.join(&entry.path) });
            witness.remove(entry.first, Reason::Missing.name(), now_us)?;
            found.catalog.bury(entry.first, Reason::Missing, now_us);
            found.changed = true;
        }
    }
    found.sealed.sort_by_key(|sealed| sealed.extent.first);
    Ok(found)
}

/// The chain hears of a removal before the catalog does: what a crash left between the two is done now.
fn finish_removals(found: &mut Found, witness: &Witness, now_us: i64) {
    for entry in found.catalog.segments.clone() {
        let of_segment = |record: &&Record| record.segment.first == entry.first && !record.event.is_move();
        let last = witness.chain().records().iter().rev().find(of_segment);
        let Some(Event::Removal(reason)) = last.map(|record| &record.event) else { continue };
        if let Some(reason) = Reason::parse(reason) {
            found.catalog.bury(entry.first, reason, now_us);
            found.changed = true;
        }
    }
}

/// Takes in one file; gives its record.
fn take_in(
    found: &mut Found,
    segments: &dyn Segments,
    keys: &Keys,
    dir: &Path,
    path: &Path,
) -> Result<Option<Record>, ReadError> {
    let whole = dir.join(path);
    let io = |source| ReadError::Io { path: whole.clone(), source };
    let Outline { first, count, received_us, record, is_recoded, is_aged } = segments.outline(&whole)?;
    let view = match segments.open(&whole, keys) {
        Err(ReadError::Locked { .. }) => None,
        opened => Some(opened?),
    };
    let bytes = fs::metadata(&whole).map_err(io)?.len();
    if let Some(entry) = found.catalog.segments.iter_mut().find(|entry| entry.path == path) {
        // It was recoded, and a crash kept that out of the catalog.
        found.changed |= entry.bytes != bytes;
        entry.bytes = bytes;
    } else {
        let (first_us, last_us) = received_us;
        found.catalog.add(Entry { first, count, first_us, last_us, bytes, path: path.to_owned() });
        found.changed = true;
    }
    let extent = Locked { first, count, received_us };
    let is_locked = view.is_none();
    let is_archived = archive::locate(&whole) != Where::Here;
    found.sealed.push(Shelved {
        path: path.to_owned(),
        bytes,
        extent,
        view,
        is_locked,
        is_recoded,
        is_aged,
        is_archived,
        is_away: false,
        is_damaged: false,
    });
    Ok(record)
}

/// Why a file cannot be opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Unread {
    /// Its archive is not attached.
    Away,
    /// It is damaged.
    Damaged,
}

/// Takes in a segment whose file cannot be opened: what the catalog or the chain knows of it.
fn take_in_unread(found: &mut Found, witness: &Witness, path: PathBuf, why: Unread) {
    let number = path.file_stem().and_then(|name| name.to_str()?.parse::<u64>().ok());
    let in_chain = number.and_then(|first| witness.chain().current(first)).map(|record| Entry {
        first: record.segment.first,
        count: record.segment.count,
        first_us: record.segment.received_us.0,
        last_us: record.segment.received_us.1,
        bytes: 0,
        path: path.clone(),
    });
    let known = found.catalog.segments.iter().find(|entry| entry.path == path).cloned();
    if let (None, Some(entry), Unread::Away) = (&known, &in_chain, why) {
        found.catalog.add(entry.clone());
        found.changed = true;
    }
    let Some(Entry { first, count, first_us, last_us, bytes, .. }) = known.or(in_chain) else { return };
    let extent = Locked { first, count, received_us: (first_us, last_us) };
    let is_away = why == Unread::Away;
    found.sealed.push(Shelved {
        path,
        bytes,
        extent,
        view: None,
        is_locked: false,
        is_recoded: true,
        is_aged: true,
        is_archived: is_away,
        is_away,
        is_damaged: !is_away,
    });
}

/// Gives the builder everything below `end` that the journal has and no segment.
pub(crate) fn replay(
    reader: &mut Reader,
    end: u64,
    cover: &Cover,
    builder: &mut Builder,
    notices: &dyn Notices,
) -> Result<(), journal::ReadError> {
    while reader.next_sequence() < end {
        match reader.read()? {
            Read::End => break,
            Read::Damage(damage) => notices.notice(Notice::Damage(damage)),
            Read::Record(record) => {
                let sequence = record.sequence;
                let Some(payload) = cover.open_record(sequence, record.payload) else {
                    notices.notice(Notice::Undecipherable { sequence });
                    continue;
                };
                match codec::decode(&payload) {
                    Ok(batch) => {
                        builder.add(&batch, &Selection::all(batch.len()), sequence);
                        builder.publish_when_due();
                    }
                    Err(error) => notices.notice(Notice::Undecodable { sequence, error }),
                }
            }
        }
    }
    builder.publish();
    Ok(())
}
