//! A batch becomes a part of its object.
//!
//! In: rows of a group. Out: a staged batch, or why it is none. Holds: nothing. Limits: those of [`super::MultipartLimits`].
//!
//! A batch that ends a part is staged when the server has the part and the record has it too; any other when it is in memory,
//! from where a crash loses it: then it is read from the queue again.

use super::{
    calls::{CallError, Calls},
    record::{RECORD_BYTES_MAX, UploadedPart},
    upload::{Messages, PartBody, Upload},
    uploads::{Slot, Uploads},
};
use crate::{
    http::Lane,
    s3::{
        body,
        limits::{MultipartLimits, PARTS_MAX},
    },
};
use delivery::{HoldReason, Row, Verdict, Wait, failure::Failure};
use hyper::body::Bytes;
use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};
use tokio::task::spawn_blocking;

/// Objects that a batch tries: the first may be full or lost.
const SLOTS_TRIED: usize = 4;

/// Batches between two looks at the size of the record.
const LOOKED_EVERY: u32 = 64;

/// The way that a batch takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::s3) enum StageOutcome {
    /// It is in an object that is not complete.
    Staged,
    /// It cannot be staged: it must be an object of its own.
    Alone,
}

/// The reason why a batch is in no object yet.
enum StageError {
    /// The object takes no more.
    Full,
    Failed(Failure),
}

impl From<Failure> for StageError {
    fn from(failure: Failure) -> StageError {
        StageError::Failed(failure)
    }
}

impl Uploads {
    /// Adds a batch to the object of its group.
    pub(in crate::s3) async fn stage(
        &self,
        group: &str,
        rows: &[Row],
        lane: &mut Lane,
    ) -> Result<StageOutcome, Failure> {
        let Some(limits) = self.limits else { return Ok(StageOutcome::Alone) };
        if let Some(refusal) = self.refusal(group) {
            return Err(refusal);
        }
        // A staged message must be in the queue on disk, to be read again after a crash.
        if !rows.iter().all(|row| self.staging.can_hold(row.id)) {
            return Ok(StageOutcome::Alone);
        }
        let (compression, level) = (self.shared.compression, self.shared.compression_level);
        let text = body::texts(rows);
        // Other connections of this thread go on meanwhile.
        let packed = spawn_blocking(move || body::packed(text, compression, level)).await;
        let packed = packed.map_err(|error| busy(format!("the object could not be made: {error}")))?;
        for _ in 0..SLOTS_TRIED {
            let slot = self.slot(group, rows, &limits)?;
            match self.stage_in(&slot, (rows, &packed), lane, &limits).await {
                Ok(()) => {
                    self.relieve(&limits);
                    return Ok(StageOutcome::Staged);
                }
                Err(StageError::Full) => {}
                Err(StageError::Failed(failure)) => return Err(failure),
            }
        }
        Err(busy("objects end faster than they grow".to_owned()))
    }

    async fn stage_in(
        &self,
        slot: &Arc<Slot>,
        (rows, packed): (&[Row], &[u8]),
        lane: &mut Lane,
        limits: &MultipartLimits,
    ) -> Result<(), StageError> {
        let mut upload = slot.upload.lock().await;
        if !upload.takes_more() {
            return Err(StageError::Full);
        }
        upload.take_back();
        let bytes = upload.bytes();
        if bytes > 0 && bytes + packed.len() as u64 > limits.object_bytes_max {
            upload.is_full = true;
            self.end(slot, Instant::now());
            return Err(StageError::Full);
        }
        upload.push(packed);
        let messages = Messages::of(rows);
        if upload.growing_bytes() >= limits.chunk_bytes {
            let uploaded = self.upload_part(slot, &mut upload, &messages, lane).await;
            slot.note_size(&upload);
            uploaded?;
        } else {
            upload.stage(&messages);
            slot.note_size(&upload);
        }
        self.staging.hold(slot.id, messages.places.first().unwrap_or_default());
        if upload.bytes() >= limits.object_bytes_max || upload.parts >= PARTS_MAX {
            upload.is_full = true;
            self.end(slot, Instant::now());
        }
        Ok(())
    }

    /// Uploads the growing part with some messages that are not staged yet.
    async fn upload_part(
        &self,
        slot: &Arc<Slot>,
        upload: &mut Upload,
        messages: &Messages,
        lane: &mut Lane,
    ) -> Result<(), StageError> {
        let mut calls = Calls { shared: &self.shared, lane };
        let failure = match self.send_part(&mut calls, upload, messages).await {
            Ok(()) => return Ok(()),
            Err(CallError::Gone) => {
                upload.take_back();
                self.lose(slot, upload, "somebody has removed its upload")?;
                return Err(StageError::Full);
            }
            Err(CallError::Failed(failure)) => failure,
        };
        upload.take_back();
        match failure.verdict {
            Verdict::Dead(reason) if upload.parts == 0 => {
                // The server refuses the name: what is in memory of it is refused too, when it comes again.
                self.refuse(&upload.recorded.prefix, reason, &failure.answer);
                self.lose(slot, upload, &failure.answer)?;
                Err(failure.into())
            }
            verdict => Err(Failure { verdict: of_part(verdict), ..failure }.into()),
        }
    }

    /// Sends the growing part, and records it with these messages besides those that are staged.
    pub(super) async fn send_part(
        &self,
        calls: &mut Calls<'_>,
        upload: &mut Upload,
        messages: &Messages,
    ) -> Result<(), CallError> {
        let id = self.create(calls, upload).await?;
        let body = digested(upload.seal()).await?;
        let number = upload.parts + 1;
        let object = upload.recorded.object.clone();
        let etag = calls.upload_part((&object, &id, number), &body).await?;
        let mut all = upload.unrecorded().clone();
        all.add(messages);
        let Messages { places, count, bytes } = all;
        let part = UploadedPart {
            number,
            etag,
            checksum: body.sha256_base64,
            size: body.bytes.len() as u64,
            messages: count,
            bytes,
            places,
        };
        self.record(|record| record.add_part(upload.recorded.id, &part))?;
        upload.end_part(&part);
        Ok(())
    }

    /// Returns the id of an upload, which is begun if it was not.
    async fn create(&self, calls: &mut Calls<'_>, upload: &mut Upload) -> Result<String, Failure> {
        if let Some(id) = &upload.recorded.upload {
            return Ok(id.clone());
        }
        if !upload.is_recorded {
            // Whatever becomes of the next request, the next start knows of it.
            self.record(|record| record.begin(&upload.recorded))?;
            upload.is_recorded = true;
        }
        let object = upload.recorded.object.clone();
        if upload.is_doubtful {
            self.clean(calls, &object).await?;
        }
        upload.is_doubtful = true;
        let id = calls.create(&object).await?;
        self.record(|record| record.created(upload.recorded.id, &id))?;
        upload.recorded.upload = Some(id.clone());
        upload.is_doubtful = false;
        Ok(id)
    }

    /// Removes uploads of an object whose answers were lost. A user who may not list uploads leaves them to the rules of the bucket.
    pub(super) async fn clean(&self, calls: &mut Calls<'_>, object: &str) -> Result<(), Failure> {
        match calls.abort_all(object).await {
            Err(Failure { verdict: Verdict::Hold(HoldReason::Access), answer }) => {
                let text = "Cannot look for an upload whose answer was lost, leaving it";
                self.log.warning(&format!("{text}; object='{object}', answer='{answer}'"));
                Ok(())
            }
            other => other,
        }
    }

    /// Gives an object up: its messages are read from the queue again. What the server has of it is removed.
    pub(super) fn lose(&self, slot: &Arc<Slot>, upload: &mut Upload, why: &str) -> Result<(), Failure> {
        let mut places = match upload.is_recorded {
            true => self.record(|record| record.lose(slot.id))?,
            false => Default::default(),
        };
        places.extend(&upload.give_up_growing().places);
        let object = &upload.recorded.object;
        self.log.notice(&format!(
            "Object is given up, its messages go to another one; object='{object}', messages='{}', why='{why}'",
            places.count()
        ));
        self.staging.read_again(places);
        self.staging.release(slot.id);
        upload.recorded.phase = super::record::Phase::Aborting;
        if upload.is_recorded {
            self.end(slot, Instant::now())
        } else {
            self.remove(slot.id)
        }
        Ok(())
    }

    /// Ends objects while too much of them is in memory or in the record.
    fn relieve(&self, limits: &MultipartLimits) {
        let is_full =
            || self.record(|record| record.places_bytes()).is_ok_and(|size| size > RECORD_BYTES_MAX);
        let is_large = self.buffered() > limits.buffered_bytes_max();
        if is_large || self.staged.fetch_add(1, Ordering::Relaxed).is_multiple_of(LOOKED_EVERY) && is_full() {
            self.end_oldest();
        }
    }
}

/// Returns a body with its digest, which takes a moment.
pub(super) async fn digested(bytes: Bytes) -> Result<PartBody, Failure> {
    let made = spawn_blocking(move || PartBody::new(bytes)).await;
    made.map_err(|error| busy(format!("the object could not be made: {error}")))
}

/// Judges an answer to a request for a part for the last batch in it: it is not because of that batch.
fn of_part(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Dead(_) | Verdict::Split(_) | Verdict::Suspect(_) => Verdict::Hold(HoldReason::Schema),
        verdict => verdict,
    }
}

fn busy(answer: String) -> Failure {
    Failure { verdict: Verdict::Later(Wait::Busy), answer }
}
