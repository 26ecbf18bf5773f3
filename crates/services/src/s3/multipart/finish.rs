//! An object is completed, or given up.
//!
//! In: objects that are due. Out: complete objects, whose messages are settled; uploads that are removed. Holds: nothing. Limits: one
//! request at a time.
//!
//! What is about to be done is recorded before it is asked for, so that a lost answer changes nothing: the parts of an object that
//! closes are final, and its name, which nobody else makes, tells whether the server has it.

use super::{
    calls::{CallError, Calls, Stored},
    record::{Phase, UploadedPart},
    stage::digested,
    upload::{Messages, Upload},
    uploads::{BROKEN_MAX, Slot, Uploads},
};
use delivery::{HoldReason, Verdict, Wait, failure::Failure};
use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

/// First pause after a fault, and the longest.
const PAUSE_FIRST: Duration = Duration::from_millis(250);
const PAUSE_MOST: Duration = Duration::from_secs(30);
/// An object that was tried so often shows in the state of the destination.
const TRIES_OF_TROUBLE: u32 = 6;

impl Uploads {
    /// Ends the objects that are due, and tries those again that could not be.
    pub(in crate::s3) async fn finish_due(self: Arc<Self>, reopen_after: Duration) {
        for slot in self.take_due(Instant::now()) {
            let mut upload = slot.upload.lock().await;
            let finished = self.finish(&slot, &mut upload).await;
            slot.note_size(&upload);
            match finished {
                Ok(()) => {
                    upload.tries = 0;
                    self.set_trouble(slot.id, None);
                }
                Err(failure) => {
                    self.postpone(&slot, &mut upload, &failure, reopen_after);
                    if failure.is_of_connection() {
                        return;
                    }
                }
            }
        }
    }

    fn postpone(&self, slot: &Slot, upload: &mut Upload, failure: &Failure, reopen_after: Duration) {
        let Failure { verdict, answer } = failure;
        let pause = match verdict {
            Verdict::Later(Wait::For(pause)) => *pause,
            Verdict::Later(Wait::BackOff | Wait::Busy) => {
                PAUSE_FIRST.saturating_mul(2_u32.saturating_pow(upload.tries)).min(PAUSE_MOST)
            }
            _ => reopen_after,
        };
        let is_lasting = !matches!(verdict, Verdict::Later(_)) || upload.tries + 1 >= TRIES_OF_TROUBLE;
        if is_lasting {
            self.set_trouble(slot.id, Some(format!("object {}: {answer}", upload.recorded.object)));
        }
        if upload.tries == 0 || is_lasting {
            self.log.notice(&format!(
                "Object cannot be completed yet, trying again; object='{}', answer='{answer}', next_try='{}'",
                upload.recorded.object,
                pause.as_secs_f32()
            ));
        }
        upload.tries = upload.tries.saturating_add(1);
        slot.set_due(Instant::now() + pause);
    }

    /// Brings one object as far as it goes.
    async fn finish(&self, slot: &Arc<Slot>, upload: &mut Upload) -> Result<(), Failure> {
        let mut lane = self.lane.lock().await;
        let mut calls = Calls { shared: &self.shared, lane: &mut lane };
        upload.take_back();
        match upload.recorded.phase {
            Phase::Aborting => self.abort(slot, upload, &mut calls).await,
            Phase::Open if upload.parts == 0 && upload.unrecorded().count == 0 => {
                self.drop_empty(slot, upload)
            }
            Phase::Open => self.close(slot, upload, &mut calls).await,
            Phase::Closing => self.complete(slot, upload, &mut calls).await,
        }
    }

    /// Makes the last part final, and completes the object.
    async fn close(
        &self,
        slot: &Arc<Slot>,
        upload: &mut Upload,
        calls: &mut Calls<'_>,
    ) -> Result<(), Failure> {
        if upload.parts == 0 && !upload.is_recorded {
            self.close_whole(upload)?;
        } else {
            if upload.unrecorded().count > 0 {
                match self.send_part(calls, upload, &Messages::default()).await {
                    Ok(()) => {}
                    Err(CallError::Gone) => {
                        upload.take_back();
                        return self.lose(slot, upload, "somebody has removed its upload");
                    }
                    Err(CallError::Failed(failure)) => {
                        upload.take_back();
                        return self.refused(slot, upload, failure);
                    }
                }
            }
            self.record(|record| record.set_phase(slot.id, Phase::Closing))?;
        }
        upload.recorded.phase = Phase::Closing;
        self.complete(slot, upload, calls).await
    }

    /// Records an object that is smaller than a part: it is stored by one request.
    fn close_whole(&self, upload: &mut Upload) -> Result<(), Failure> {
        let Messages { places, count, bytes } = upload.unrecorded().clone();
        let size = upload.growing_bytes() as u64;
        let whole = UploadedPart { size, messages: count, bytes, places, ..UploadedPart::default() };
        upload.recorded.phase = Phase::Closing;
        let recorded = self.record(|record| record.begin_whole(&upload.recorded, &whole));
        if let Err(failure) = recorded {
            upload.recorded.phase = Phase::Open;
            return Err(failure);
        }
        upload.is_recorded = true;
        upload.end_whole(&whole);
        Ok(())
    }

    /// Completes an object whose parts are final.
    async fn complete(
        &self,
        slot: &Arc<Slot>,
        upload: &mut Upload,
        calls: &mut Calls<'_>,
    ) -> Result<(), Failure> {
        let parts = self.record(|record| record.parts(slot.id))?;
        let object = upload.recorded.object.clone();
        let stored = match upload.recorded.upload.clone() {
            Some(id) => calls.complete((&object, &id), &parts).await,
            None if upload.growing_bytes() > 0 => {
                let body = digested(upload.seal()).await?;
                let stored = calls.put(&object, &body).await;
                upload.take_back();
                stored.map(|()| Stored::Yes)
            }
            // Its bytes were in memory before a crash.
            None => calls.look(&object, parts.iter().map(|part| part.size).sum()).await,
        };
        match stored {
            Ok(Stored::Yes) => self.completed(slot, upload),
            Ok(Stored::No) => self.lose(slot, upload, "the server does not have it"),
            Ok(Stored::Other) => self.lose(slot, upload, "the server has another object of this name"),
            Err(failure) => self.refused(slot, upload, failure),
        }
    }

    fn completed(&self, slot: &Slot, upload: &mut Upload) -> Result<(), Failure> {
        self.record(|record| record.complete(slot.id, self.staging.cursor()))?;
        self.broken.store(0, Ordering::Relaxed);
        let (messages, bytes) = upload.recorded_messages;
        let in_memory = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        self.staging.deliver(slot.id, in_memory(messages), in_memory(bytes));
        upload.give_up_growing();
        self.remove(slot.id);
        Ok(())
    }

    /// Judges a refusal that is for good: another object may have more luck, but not without end.
    fn refused(&self, slot: &Arc<Slot>, upload: &mut Upload, failure: Failure) -> Result<(), Failure> {
        let Verdict::Dead(reason) = failure.verdict else { return Err(failure) };
        if upload.parts == 0 {
            // The messages become dead letters when they come again.
            self.refuse(&upload.recorded.prefix, reason, &failure.answer);
            return self.lose(slot, upload, &failure.answer);
        }
        if self.broken.fetch_add(1, Ordering::Relaxed) < BROKEN_MAX {
            return self.lose(slot, upload, &failure.answer);
        }
        Err(Failure { verdict: Verdict::Hold(HoldReason::Schema), ..failure })
    }

    /// Removes what the server has of an object whose messages are elsewhere.
    async fn abort(&self, slot: &Slot, upload: &Upload, calls: &mut Calls<'_>) -> Result<(), Failure> {
        match &upload.recorded.upload {
            Some(id) => calls.abort(&upload.recorded.object, id).await?,
            None => self.clean(calls, &upload.recorded.object).await?,
        }
        self.record(|record| record.forget(slot.id))?;
        self.remove(slot.id);
        Ok(())
    }

    /// Forgets an object that got nothing.
    fn drop_empty(&self, slot: &Arc<Slot>, upload: &mut Upload) -> Result<(), Failure> {
        match upload.is_recorded {
            true => self.lose(slot, upload, "nothing is in it"),
            false => {
                self.staging.release(slot.id);
                upload.recorded.phase = Phase::Aborting;
                self.remove(slot.id);
                Ok(())
            }
        }
    }
}
