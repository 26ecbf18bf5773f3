//! Replaces segments by their recoded forms.
//!
//! In: drafts. Out: files, records, the catalog, the published segments. Holds: nothing. Limits: when a draft
//! cannot be placed, the old file stays; once the new file has its name, its record is retried until it is written.

use super::Sealer;
use crate::files::layout::sync_folder;
use crate::{
    files::archive::{self, SegmentPlace},
    options::Notice,
    shared::{
        draft::{Draft, PlaceError},
        queue::PopResult,
    },
};
use evidence::{Event, Facts, Record};
use segment::RecodeReport;
use std::{cell::RefCell, fs, io, time::Instant};

impl Sealer {
    /// Places the drafts that the recoder has made.
    pub(super) fn place_drafts(&mut self) {
        while let PopResult::Items(drafts) = self.shared.drafts.take(1, Instant::now()) {
            if self.seals.is_closed() {
                // A seal may have been interrupted between file and record: its record must be the chain's next.
                return;
            }
            for draft in drafts {
                let done = draft.done.clone();
                // The recoder may have ended because the logspace closes.
                let _ = done.send(self.place(draft));
            }
        }
    }

    fn place(&mut self, draft: Draft) -> Result<RecodeReport, PlaceError> {
        let Draft { first, path, temporary, file, .. } = draft;
        let known = self.evidence_log.chain().current(first).map(|record| record.segment.clone());
        let known = known.ok_or(PlaceError::Unknown)?;
        if !self.catalog.segments.iter().any(|entry| entry.first == first) {
            return Err(PlaceError::Removed);
        }
        if archive::locate(&self.shared.dir, &path, self.evidence_log.chain()) != SegmentPlace::Here {
            return Err(PlaceError::Archived);
        }
        if known.messages != file.messages() {
            return Err(PlaceError::OtherMessages);
        }
        let made = RefCell::new(None);
        let notary = |facts: Facts| {
            let record = self.evidence_log.record(
                Event::Recode(known.contents),
                facts,
                self.shared.clock.wall_us(),
            )?;
            let text = record.print();
            made.replace(Some(record));
            Some(text)
        };
        let report = file.finish(&notary).map_err(PlaceError::Finish)?;
        let record = made.into_inner().ok_or(PlaceError::Unsigned)?;
        let whole = self.shared.dir.join(&path);
        let failed = |source| PlaceError::Io { path: whole.clone(), source };
        let outline = self.segments.outline(&temporary).map_err(PlaceError::Read)?;
        // Anyone who could read the old file must be able to read the new one, otherwise it is not replaced.
        let mut sealed = self.open(&temporary, outline).map_err(PlaceError::Read)?;
        if sealed.state.view().is_none() {
            return Err(PlaceError::Locked);
        }
        fs::rename(&temporary, &whole).map_err(failed)?;
        let synced = sync_folder(whole.parent().unwrap_or(&whole));
        self.append_surely(record, synced);
        let bytes = sealed.bytes;
        sealed.path = path;
        self.catalog
            .segments
            .iter_mut()
            .filter(|entry| entry.first == first)
            .for_each(|entry| entry.bytes = bytes);
        self.unwritten = true;
        self.write_catalog();
        self.shared.segment_set.replace(sealed);
        Ok(report)
    }

    /// Appends the record of a file that has its name: nothing else may be appended to the chain before it. When
    /// the logspace closes first, opening it takes the record from the file.
    fn append_surely(&mut self, record: Record, synced: io::Result<()>) {
        let mut result = synced;
        loop {
            result = result.and_then(|()| self.evidence_log.append(record.clone()));
            let Err(error) = result else { return };
            let error = format!("cannot record a recoded segment: {error}");
            self.shared.complain(Notice::UpkeepFailed { error });
            self.seals.pause(self.shared.options.retry);
            if self.seals.is_closed() {
                return;
            }
            result = Ok(());
        }
    }
}
