//! Reads one object after the other.
//!
//! In: jobs. Out: batches of their lines. Holds: a connection, a decompressor, the unfinished line. Limits: the window of the source; nothing
//! more is read from a connection while it is full. Tries have [`PAUSE_MIN`] to `time-reopen()` between them.
//!
//! When a connection breaks, a plain object is read on from where it broke. A compressed one is read again from its beginning, and
//! the text that was forwarded is left out.

use super::{
    content::{Content, ContentError, Form},
    lister::PAUSE_MIN,
    options::S3Source,
    progress::{Job, Leave, Progress},
    register::ObjectPosition,
    troubles::{Subject, Troubles},
};
use intake::DocumentReader;
use message::{Origin, Transport};
use services::{BucketReader, FaultKind, ReadFault};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::{Mutex, mpsc},
    time::sleep,
};
use transport::{InternalLog, own_name, stats};

/// Why an object was not read to its end.
enum Stop {
    Fault(ReadFault),
    Content(ContentError),
}

impl From<ReadFault> for Stop {
    fn from(fault: ReadFault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<ContentError> for Stop {
    fn from(error: ContentError) -> Stop {
        Stop::Content(error)
    }
}

pub(super) struct Worker {
    pub(super) number: usize,
    pub(super) options: S3Source,
    pub(super) bucket: BucketReader,
    pub(super) document: DocumentReader,
    pub(super) progress: Arc<Progress>,
    pub(super) troubles: Arc<Troubles>,
    pub(super) log: InternalLog,
}

impl Worker {
    /// Reads objects until there will be no more.
    pub(super) async fn run(mut self, jobs: Arc<Mutex<mpsc::Receiver<Job>>>) {
        loop {
            let job = jobs.lock().await.recv().await;
            let Some(job) = job else { return };
            self.read(job).await;
        }
    }

    /// Takes new settings over after a reload, and returns the origin of the messages of an object.
    fn origin(&mut self, job: &Job) -> Arc<Origin> {
        let is_new = self.document.batches.refresh();
        let settings = self.document.batches.settings();
        if let Some(options) = settings.input::<S3Source>().filter(|_| is_new) {
            self.options = options.clone();
            self.bucket = BucketReader::new(Arc::new(self.options.bucket.clone()));
        }
        let mut origin = settings.origin(Transport::Local, None, own_name(&settings.options.hosts));
        origin.transport_name = "s3".to_owned();
        origin.file_name.clone_from(&job.object.key);
        Arc::new(origin)
    }

    async fn read(&mut self, job: Job) {
        let origin = self.origin(&job);
        // Behind the text that was forwarded.
        let mut position = job.position;
        let mut pause = PAUSE_MIN;
        self.document.begin(position.offset);
        loop {
            let before = position.offset;
            let fault = match self.pass(&job, &origin, &mut position).await {
                Ok(()) => return self.finish(&job, &origin, position),
                Err(Stop::Content(error)) => {
                    self.report(&job, &position, &error.to_string());
                    return self.finish(&job, &origin, position);
                }
                Err(Stop::Fault(fault)) => fault,
            };
            if position.offset > before {
                pause = PAUSE_MIN;
            }
            let most = self.options.reopen_after.max(PAUSE_MIN);
            let wait = match fault.kind {
                FaultKind::Missing => return self.leave(&job, &position, Leave::Gone),
                FaultKind::Changed => return self.leave(&job, &position, Leave::Changed),
                FaultKind::Object => return self.put_off(&job, &fault),
                FaultKind::Away(Some(wait)) => wait,
                FaultKind::Away(None) | FaultKind::Refused | FaultKind::Place => pause.min(most),
            };
            self.troubles.set(Subject::Worker(self.number), Some(fault.to_string()));
            sleep(wait).await;
            pause = (pause * 2).min(most);
        }
    }

    /// Reads an object on from a position, over one connection.
    async fn pass(
        &mut self,
        job: &Job,
        origin: &Arc<Origin>,
        position: &mut ObjectPosition,
    ) -> Result<(), Stop> {
        let (mut content, first) = match position.form {
            Some(Form::Plain) => (Content::plain(), position.offset),
            _ => (Content::from_start(position.offset), 0),
        };
        if first >= job.object.size {
            return Ok(());
        }
        // Waiting while a connection is open would make the server close it.
        self.document.batches.window.wait_for_room().await;
        let mut body = self.bucket.open(&job.object, first).await?;
        let mut received = first;
        while let Some(bytes) = body.piece().await? {
            self.troubles.set(Subject::Worker(self.number), None);
            received += bytes.len() as u64;
            content.add(&bytes);
            drop(bytes);
            while let Some(text) = content.piece()? {
                position.form = content.form().filter(|form| *form == Form::Plain);
                self.document.batches.window.wait_for_room().await;
                self.add(job, origin, &text, position);
            }
        }
        if received != job.object.size {
            let words = format!("the object ended after {received} of {} bytes", job.object.size);
            return Err(Stop::Fault(ReadFault { kind: FaultKind::Away(None), words }));
        }
        let (text, ended) = content.finish();
        self.add(job, origin, &text, position);
        Ok(ended?)
    }

    fn add(&mut self, job: &Job, origin: &Arc<Origin>, text: &[u8], position: &mut ObjectPosition) {
        position.offset += text.len() as u64;
        let form = position.form;
        self.document.add(text, origin, |offset| job.book.add(ObjectPosition { offset, form }));
    }

    /// Ends an object: a last line without an end is a message.
    fn finish(&mut self, job: &Job, origin: &Arc<Origin>, position: ObjectPosition) {
        let form = position.form;
        self.document.finish(origin, |offset| job.book.add(ObjectPosition { offset, form }));
        self.progress.end(job.id);
        self.clear_trouble();
    }

    fn leave(&mut self, job: &Job, position: &ObjectPosition, leave: Leave) {
        let why = match leave {
            Leave::Gone => "it was deleted before it was read to its end",
            Leave::Changed => {
                "it was replaced before it was read to its end; its new content is read from the beginning"
            }
        };
        self.report(job, position, why);
        self.progress.leave(job.id, leave);
        self.clear_trouble();
    }

    fn put_off(&mut self, job: &Job, fault: &ReadFault) {
        self.progress.put_off(job);
        self.troubles.set(Subject::Worker(self.number), None);
        let text = format!("an object is not readable: {fault}; object='{}'", job.object.key);
        self.troubles.set(Subject::Objects, Some(text));
    }

    fn clear_trouble(&self) {
        self.troubles.set(Subject::Worker(self.number), None);
        if !self.progress.has_unreadable() {
            self.troubles.set(Subject::Objects, None);
        }
    }

    /// Says that a part of an object is not read.
    fn report(&self, job: &Job, position: &ObjectPosition, why: &str) {
        let settings = self.document.batches.settings();
        stats::add(&settings.counters.frame_errors, 1);
        let (id, key, offset) = (&settings.id, &job.object.key, position.offset);
        self.log.error(&format!(
            "Cannot read the rest of an object; id='{id}', object='{key}', bytes_read='{offset}', error='{why}'"
        ));
    }
}

/// Longest pause before what a destination gave up is read again.
pub(super) const AGAIN_AFTER: Duration = Duration::from_secs(5);
