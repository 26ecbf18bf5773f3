//! The sealer's moves between a logspace and its archive.
//!
//! In: segments that are old enough, requests. Out: segments at their new location, with a record in the chain.
//! Limits: one segment at a time; a segment that cannot be moved stays, is reported, and is tried again.

use super::sealer::{Sealer, look_for_archive, open_with_keys};
use crate::{
    files::{
        archive::{self, SegmentPlace},
        catalog::Entry,
        layout::{RESTORED_ENDING, sync_folder},
    },
    options::Notice,
    shared::moves::{Move, MoveError, Moved},
};
use evidence::{Event, hex};
use std::{fs, io, path::PathBuf};

/// The reason for moving a segment to the archive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MoveReason {
    /// A request: segments that were brought back are moved as well.
    Request,
    /// Its age: segments that were brought back stay.
    Age,
}

impl Sealer {
    /// Moves requested segments and those that are old enough; notices when the archive is attached or detached.
    pub(crate) fn move_segments(&mut self) {
        for (what, done) in self.shared.moves.take() {
            let moved = match what {
                Move::Archive(age_us) => self.archive(age_us, MoveReason::Request),
                Move::Restore(from_us, to_us) => self.restore(from_us, to_us),
            };
            // The caller may no longer be waiting.
            let _ = done.try_send(moved);
        }
        let options = &self.shared.options;
        let may = options.archive_to.is_some() && self.is_clock_trusted();
        let after = options.archive_after.filter(|_| may);
        if let Some(after) = after {
            let age_us = i64::try_from(after.as_micros()).unwrap_or(i64::MAX);
            if let Err(error) = self.archive(age_us, MoveReason::Age) {
                self.shared.complain(Notice::UpkeepFailed { error: error.to_string() });
            }
        }
        look_for_archive(&self.shared, &*self.segments);
    }

    /// Moves segments that are old enough to the archive.
    fn archive(&mut self, age_us: i64, reason: MoveReason) -> Result<Moved, MoveError> {
        let dir = self.shared.options.archive_to.clone().ok_or(MoveError::NoArchive)?;
        let name = self.shared.dir.file_name().unwrap_or_default();
        let root = dir.join(name);
        // An age of 0 selects all segments, whatever the clocks say.
        let before = if age_us == 0 { i64::MAX } else { self.shared.clock.wall_us().saturating_sub(age_us) };
        let due: Vec<Entry> =
            self.catalog.segments.iter().filter(|entry| entry.last_us < before).cloned().collect();
        let mut moved = Moved::default();
        for entry in due {
            let path = self.shared.dir.join(&entry.path);
            let last = self.evidence_log.chain().last_move(entry.first).cloned();
            let place = archive::locate(&self.shared.dir, &entry.path, self.evidence_log.chain());
            let is_wanted_here = reason == MoveReason::Age && last == Some(Event::Restore);
            if place != SegmentPlace::Here || is_wanted_here {
                continue;
            }
            let failed = |source| MoveError::Archive { path: path.clone(), source };
            archive::claim(&root, &hex(&self.evidence_log.logspace())).map_err(failed)?;
            let target = root.join(&entry.path);
            let digest = archive::copy(&path, &target).map_err(failed)?;
            let event = Event::Archive(format!("sha256:{digest} {}", target.display()));
            if last.as_ref() != Some(&event) {
                self.evidence_log
                    .relocate(entry.first, event, self.shared.clock.wall_us())
                    .map_err(failed)?;
            }
            archive::link(&path, &target).map_err(failed)?;
            self.placed(&entry, Some(target));
            moved.segments += 1;
            moved.bytes += entry.bytes;
        }
        Ok(moved)
    }

    /// Brings back the archived segments of a time range.
    fn restore(&mut self, from_us: i64, to_us: i64) -> Result<Moved, MoveError> {
        let mut moved = Moved::default();
        for entry in self.catalog.segments.clone() {
            if entry.last_us < from_us || entry.first_us >= to_us {
                continue;
            }
            let path = self.shared.dir.join(&entry.path);
            let failed = |source| MoveError::Restore { path: path.clone(), source };
            let target = match archive::locate(&self.shared.dir, &entry.path, self.evidence_log.chain()) {
                SegmentPlace::Archived(target) => target,
                SegmentPlace::Away(path) => return Err(MoveError::Away { path }),
                SegmentPlace::Here => {
                    moved.segments += u64::from(self.finish_restore(&entry).map_err(failed)?);
                    continue;
                }
                SegmentPlace::Gone | SegmentPlace::Foreign => continue,
            };
            let fresh = path.with_extension(RESTORED_ENDING);
            let digest = archive::copy(&target, &fresh).map_err(failed)?;
            let went = match self.evidence_log.chain().last_move(entry.first) {
                Some(Event::Archive(place)) => place.starts_with(&format!("sha256:{digest} ")),
                // A crash came between the record and the change it describes.
                _ => true,
            };
            if !went {
                let _ = fs::remove_file(&fresh);
                return Err(failed(io::Error::other("the archived file is not the one that was archived")));
            }
            // The file is renamed first: a link would be no proper file for a segment that the chain says came
            // back.
            fs::rename(&fresh, &path).map_err(failed)?;
            sync_folder(path.parent().unwrap_or(&path)).map_err(failed)?;
            self.placed(&entry, None);
            if self.evidence_log.chain().last_move(entry.first) != Some(&Event::Restore) {
                self.evidence_log
                    .relocate(entry.first, Event::Restore, self.shared.clock.wall_us())
                    .map_err(failed)?;
            }
            fs::remove_file(&target).map_err(failed)?;
            moved.segments += 1;
            moved.bytes += entry.bytes;
        }
        Ok(moved)
    }

    /// Completes a restore whose file came back before its record was written; returns true when that was needed.
    fn finish_restore(&mut self, entry: &Entry) -> io::Result<bool> {
        let chain = self.evidence_log.chain();
        let is_unfinished = matches!(chain.last_move(entry.first), Some(Event::Archive(_)));
        let target = chain.archive_place(entry.first).filter(|_| is_unfinished);
        let Some(target) = target else { return Ok(false) };
        self.evidence_log.relocate(entry.first, Event::Restore, self.shared.clock.wall_us())?;
        if let SegmentPlace::Archived(copy) = archive::locate_archived(&target) {
            fs::remove_file(copy)?;
        }
        Ok(true)
    }

    /// Publishes the segment's new location, from which it is read from now on.
    fn placed(&self, entry: &Entry, archived_to: Option<PathBuf>) {
        let is_archived = archived_to.is_some();
        let file = archived_to.as_ref().unwrap_or(&entry.path);
        match open_with_keys(&self.shared, &*self.segments, file) {
            Ok(state) => self.shared.segment_set.place(&entry.path, state, archived_to),
            Err(error) => {
                let path = self.shared.dir.join(file);
                self.shared.complain(Notice::BadSegment { path, error: error.to_string() });
            }
        }
        self.shared.notices.notice(Notice::Moved { first: entry.first, messages: entry.count, is_archived });
    }
}
