//! What opening a logspace finds: its segments, and the messages that only the journal has.
//!
//! In: a directory, perhaps left by a crash. Out: the catalog as it should be, the sealed segments, the journal; the
//! unsealed messages, given to the builder.
//! Limits: damage costs what it hit and is told; it never keeps a logspace from opening.

use super::{
    builder::Builder,
    catalog::{Catalog, Entry, Reason},
    layout::{SEGMENT_ENDING, TEMPORARY_ENDING, files_ending},
    options::{Notice, Notices},
    segments::Segments,
};
use crate::SegmentView;
use journal::{Disk, Read, Reader};
use message::{Selection, codec};
use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The sealed segments of a directory.
pub(crate) struct Found {
    pub(crate) catalog: Catalog,
    /// In receive order, with their sizes.
    pub(crate) sealed: Vec<(Arc<dyn SegmentView>, u64)>,
    /// The catalog was changed and must be written.
    pub(crate) changed: bool,
}

/// Finds the segments: those of the catalog, and those that a crash kept out of it.
pub(crate) fn find_segments(
    disk: &dyn Disk,
    segments: &dyn Segments,
    dir: &Path,
    now_us: i64,
    notices: &dyn Notices,
) -> io::Result<Found> {
    for path in files_ending(dir, TEMPORARY_ENDING)? {
        fs::remove_file(dir.join(path))?;
    }
    let files: BTreeSet<PathBuf> = files_ending(dir, SEGMENT_ENDING)?.into_iter().collect();
    let read = Catalog::read(disk, dir)?;
    let mut changed = read.is_none();
    if changed && !files.is_empty() {
        notices.notice(Notice::CatalogRebuilt);
    }
    let mut catalog = read.unwrap_or_default();
    for entry in catalog.segments.clone() {
        if !files.contains(&entry.path) {
            notices.notice(Notice::MissingSegment { path: dir.join(&entry.path) });
            catalog.bury(entry.first, Reason::Missing, now_us);
            changed = true;
        }
    }
    let mut sealed: Vec<(Arc<dyn SegmentView>, u64)> = Vec::new();
    for path in files {
        let whole = dir.join(&path);
        if catalog.is_buried(&path) {
            fs::remove_file(&whole)?;
            continue;
        }
        let segment = match segments.open(&whole) {
            Ok(segment) => segment,
            Err(error) => {
                notices.notice(Notice::BadSegment { path: whole, error: error.to_string() });
                continue;
            }
        };
        let bytes = fs::metadata(&whole)?.len();
        if !catalog.segments.iter().any(|entry| entry.path == path) {
            let (first, count) = (segment.first_sequence(), u64::from(segment.len()));
            let (first_us, last_us) = segment.received_range();
            catalog.add(Entry { first, count, first_us, last_us, bytes, path });
            changed = true;
        }
        sealed.push((segment, bytes));
    }
    sealed.sort_by_key(|(segment, _)| segment.first_sequence());
    Ok(Found { catalog, sealed, changed })
}

/// Gives the builder everything below `end` that the journal has and no segment.
pub(crate) fn replay(
    reader: &mut Reader,
    end: u64,
    builder: &mut Builder,
    notices: &dyn Notices,
) -> Result<(), journal::ReadError> {
    while reader.next_sequence() < end {
        match reader.read()? {
            Read::End => break,
            Read::Damage(damage) => notices.notice(Notice::Damage(damage)),
            Read::Record(record) => match codec::decode(record.payload) {
                Ok(batch) => {
                    builder.add(&batch, &Selection::all(batch.len()), record.sequence);
                    builder.publish_when_due();
                }
                Err(error) => notices.notice(Notice::Undecodable { sequence: record.sequence, error }),
            },
        }
    }
    builder.publish();
    Ok(())
}
