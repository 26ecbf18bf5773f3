//! What an earlier life has left, and what the receiver of the next configuration gets.
//!
//! In: the record. Out: objects that go on, and messages that the queue need not read. Holds: nothing. Limits: those of the record.
//!
//! A start after a crash, one after a stop, and a new configuration are the same: what is in the record counts, and what was only in
//! memory is read from the queue again.

use super::{
    record::{FILE, Phase, RecordError, UploadRecord},
    upload::Upload,
    uploads::Uploads,
};
use crate::s3::{limits::MultipartLimits, shared::Shared};
use delivery::{Row, SequenceSet, StagedBefore, Staging};
use jiff::Timestamp;
use message::RecordId;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use transport::InternalLog;

impl Uploads {
    /// Opens the objects that are being made beside a queue. `None` when there are none, and none are wanted.
    pub(in crate::s3) fn open(
        shared: &Arc<Shared>,
        limits: Option<MultipartLimits>,
        staging: &Arc<Staging>,
        log: &InternalLog,
    ) -> Result<Option<(Uploads, StagedBefore)>, RecordError> {
        let path = staging.folder().join(FILE);
        if limits.is_none() && !path.exists() {
            return Ok(None);
        }
        let record = UploadRecord::open(&path)?;
        let settled = record.settled()?;
        let (mut known, recorded) = (settled.clone(), record.uploads()?);
        let uploads = Uploads::new((shared.clone(), limits), staging.clone(), record, log.clone());
        for recorded in recorded {
            let (id, is_elsewhere) = (recorded.id, recorded.address != shared.address);
            let (parts, places) = uploads.recorded_parts(id)?;
            known.extend(&places);
            let mut upload = Upload::recovered(recorded, &parts);
            if is_elsewhere {
                uploads.leave(&upload)?;
                continue;
            }
            let phase = uploads.phase_of(&upload, &places);
            if phase != upload.recorded.phase {
                uploads.change(|record| record.set_phase(id, phase))?;
                upload.recorded.phase = phase;
            }
            if let Some(first) = places.first() {
                staging.hold(id, first);
            }
            let due = uploads.due_of(&upload);
            uploads.add(upload, due);
        }
        Ok(Some((uploads, StagedBefore { known, settled })))
    }

    fn change<T>(
        &self,
        work: impl FnOnce(&mut UploadRecord) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        work(&mut self.lock_record())
    }

    fn recorded_parts(
        &self,
        id: u64,
    ) -> Result<(Vec<super::record::UploadedPart>, SequenceSet), RecordError> {
        self.change(|record| Ok((record.parts(id)?, record.places(id)?)))
    }

    /// Leaves an object in a bucket that is not that of the configuration. Its messages go to the new one.
    fn leave(&self, upload: &Upload) -> Result<(), RecordError> {
        let (id, object) = (upload.recorded.id, &upload.recorded.object);
        let places = self.change(|record| {
            let places = record.lose(id)?;
            record.forget(id)?;
            Ok(places)
        })?;
        self.log.warning(&format!(
            "Object is left incomplete, because s3() has another bucket now; object='{object}', address='{}', \
             messages='{}'",
            upload.recorded.address,
            places.count()
        ));
        self.staging.read_again(places);
        self.staging.release(id);
        Ok(())
    }

    /// Returns what becomes of an object. One that the configuration would name or compress otherwise, or that it would not make,
    /// gets no more parts.
    fn phase_of(&self, upload: &Upload, places: &SequenceSet) -> Phase {
        match upload.recorded.phase {
            Phase::Open if places.is_empty() => Phase::Aborting,
            Phase::Open
                if self.limits.is_none() || !upload.recorded.object.ends_with(&self.shared.suffix) =>
            {
                Phase::Closing
            }
            phase => phase,
        }
    }

    fn due_of(&self, upload: &Upload) -> Instant {
        let now = Instant::now();
        let Some(limits) = self.limits.filter(|_| upload.takes_more()) else { return now };
        let age = Timestamp::now().as_second().saturating_sub(upload.recorded.began_s);
        now + limits.wait.saturating_sub(Duration::from_secs(age.max(0).unsigned_abs()))
    }

    /// Gives up what is only in memory: its messages are read again by the receiver of the next configuration.
    pub(in crate::s3) fn end_all(&self) {
        for slot in self.all() {
            // Nobody works on it any more.
            let Ok(mut upload) = slot.upload.try_lock() else { continue };
            self.staging.read_again(upload.give_up_growing().places);
            if upload.recorded_messages == (0, 0) {
                self.staging.release(slot.id);
            }
        }
    }

    /// Notes messages of the queue that were stored without parts.
    pub(in crate::s3) fn settle_rows(&self, rows: &[Row]) {
        self.settle_ids(rows.iter().map(|row| row.id));
    }

    /// Notes messages of the queue that were settled without parts.
    pub(in crate::s3) fn settle_ids(&self, ids: impl Iterator<Item = RecordId>) {
        let mut places = SequenceSet::default();
        for id in ids.filter(|id| self.staging.is_of_queue(*id)) {
            places.insert(id.sequence);
            self.staging.settle(id);
        }
        self.settle(&places);
    }

    /// Notes messages that were settled otherwise while objects keep the queue before them.
    fn settle(&self, places: &SequenceSet) {
        let cursor = self.staging.cursor();
        if let Err(failure) = self.record(|record| record.settle(places, cursor)) {
            self.log.error(&format!("Messages may be sent again after a crash; error='{}'", failure.answer));
        }
    }
}
