//! The thread of a source: starts tasks, saves what is acknowledged, ends.
//!
//! In: options. Out: batches. Holds: the lister, the workers, the register. Limits: a commit for each [`COMMIT_EVERY`] at most. At the stop,
//! destinations have [`SETTLES_WITHIN`] to acknowledge; what they have not acknowledged by then is read again.

use super::{
    lister::{Lister, PAUSE_MIN},
    options::S3Source,
    progress::{Fate, Progress},
    register::{Register, RegisterError},
    troubles::{Subject, Troubles},
    worker::{AGAIN_AFTER, Worker},
};
use crate::broker::TroubleReport;
use aws_lc_rs::digest::{SHA256, digest};
use intake::{BatchReader, DocumentReader, InputTask, Positions, Settings, SettingsCell};
use services::BucketReader;
use std::{
    fmt::{self, Write as _},
    sync::Arc,
    thread,
    time::Duration,
};
use tokio::{
    runtime::Builder,
    sync::{Mutex, mpsc, watch},
    task::JoinSet,
    time::{Instant, timeout, timeout_at},
};
use transport::InternalLog;

/// The sentences of our log when nothing can be read, and when that is over.
const FAILS: &str = "Cannot read a bucket, trying again";
const WORKS: &str = "The bucket is read again";
/// Time between two commits.
const COMMIT_EVERY: Duration = Duration::from_millis(20);
/// Time for messages in flight to become safe at the stop.
const SETTLES_WITHIN: Duration = Duration::from_secs(1);
/// Objects that wait for a worker, besides those of the page that is being handed out.
const JOBS_WAITING: usize = 1;
/// Bytes of a digest in the name of a file.
const NAME_BYTES: usize = 8;

/// Reads on a thread of its own until it is stopped: the register waits for a disk.
pub(super) fn read_bucket(options: S3Source, task: InputTask) {
    let failed = task.log.clone();
    let spawned = Builder::new_current_thread().enable_all().build().and_then(|runtime| {
        let run = move || runtime.block_on(read(options, task));
        thread::Builder::new().name("s3-source".to_owned()).spawn(run)
    });
    if let Err(error) = spawned {
        failed.error(&format!("Cannot start the thread of a source; error='{error}'"));
    }
}

async fn read(options: S3Source, task: InputTask) {
    let InputTask { cell, log, positions, mut stop, .. } = task;
    let mut trouble = TroubleReport::new(&cell.settings(), log.clone(), FAILS, WORKS);
    let register = loop {
        match open_register(&options, &positions) {
            Ok(register) => break register,
            // Another source may be about to end, and then the file is free.
            Err(error) => trouble.show(&cell.settings(), Some(error.to_string())),
        }
        if is_stopped(&mut stop, options.reopen_after.clamp(PAUSE_MIN, AGAIN_AFTER)).await {
            return;
        }
    };
    let progress = Arc::new(Progress::new(register));
    let mut source = Source { cell, log, options, progress, trouble };
    while source.run(&mut stop).await == Ending::GivenUp {
        let id = &source.cell.settings().id;
        source.log.warning(&format!("A destination gave up messages, they are read again; id='{id}'"));
        source.progress.restart();
        if is_stopped(&mut stop, AGAIN_AFTER).await {
            return;
        }
    }
}

/// Waits; returns whether the source was stopped meanwhile.
async fn is_stopped(stop: &mut watch::Receiver<bool>, pause: Duration) -> bool {
    timeout(pause, stop.wait_for(|stop| *stop)).await.is_ok()
}

/// The reason why there is no record of what was read.
struct OpenError {
    path: String,
    source: RegisterError,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot use {}: {}", self.path, self.source)
    }
}

fn open_register(options: &S3Source, positions: &Positions) -> Result<Register, OpenError> {
    let digest = digest(&SHA256, options.register_name().as_bytes());
    let mut name = "s3-".to_owned();
    for byte in &digest.as_ref()[..NAME_BYTES] {
        let _ = write!(name, "{byte:02x}");
    }
    name.push_str(".sqlite");
    let file = positions.file_beside(&name);
    let path = file.map_err(|error| OpenError { path: name.clone(), source: RegisterError::File(error) })?;
    Register::open(path.as_deref()).map_err(|source| {
        let path = path.as_deref().map_or(name, |path| path.display().to_string());
        OpenError { path, source }
    })
}

/// Why the tasks were ended.
#[derive(PartialEq, Eq)]
enum Ending {
    Stopped,
    GivenUp,
}

struct Source {
    cell: Arc<SettingsCell>,
    log: InternalLog,
    options: S3Source,
    progress: Arc<Progress>,
    trouble: TroubleReport,
}

impl Source {
    /// Reads until the source is stopped, or a destination gives something up.
    async fn run(&mut self, stop: &mut watch::Receiver<bool>) -> Ending {
        let progress = self.progress.clone();
        let troubles = Arc::new(Troubles::new(progress.changed.clone()));
        // Its end ends them.
        let mut tasks = self.start(&troubles);
        let mut settings = self.cell.settings();
        loop {
            tokio::select! {
                biased;
                _ = stop.wait_for(|stop| *stop) => break,
                () = progress.changed.notified() => {}
                ended = tasks.join_next() => self.report_end(ended),
            }
            match progress.commit() {
                Ok(Fate::Saved) => troubles.set(Subject::Register, None),
                Ok(Fate::GivenUp) => return Ending::GivenUp,
                Err(error) => troubles.set(Subject::Register, Some(error.to_string())),
            }
            self.show(&troubles, &mut settings);
            if is_stopped(stop, COMMIT_EVERY).await {
                break;
            }
        }
        tasks.shutdown().await;
        self.settle().await;
        Ending::Stopped
    }

    fn start(&self, troubles: &Arc<Troubles>) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        let (sender, receiver) = mpsc::channel(JOBS_WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        let bucket = Arc::new(self.options.bucket.clone());
        for number in 0..self.options.workers.max(1) {
            let worker = Worker {
                number,
                options: self.options.clone(),
                bucket: BucketReader::new(bucket.clone()),
                document: DocumentReader::new(BatchReader::new(&self.cell)),
                progress: self.progress.clone(),
                troubles: troubles.clone(),
                log: self.log.clone(),
            };
            tasks.spawn(worker.run(receiver.clone()));
        }
        let lister = Lister {
            cell: self.cell.clone(),
            settings: self.cell.settings(),
            options: self.options.clone(),
            bucket: BucketReader::new(bucket),
            progress: self.progress.clone(),
            troubles: troubles.clone(),
            jobs: sender,
            log: self.log.clone(),
            highest: String::new(),
            archived: 0,
        };
        tasks.spawn(lister.run());
        tasks
    }

    fn show(&mut self, troubles: &Troubles, settings: &mut Arc<Settings>) {
        let now = self.cell.settings();
        if !Arc::ptr_eq(&now, settings) {
            *settings = now;
            if let Some(options) = settings.input::<S3Source>() {
                self.options = options.clone();
            }
            self.trouble.show_again(settings);
        }
        self.trouble.show(settings, troubles.first());
    }

    /// A task ends only with the others, unless there is a fault in this program.
    fn report_end(&self, ended: Option<Result<(), tokio::task::JoinError>>) {
        if let Some(Err(error)) = ended {
            self.log.error(&format!("A task of a source has ended; error='{error}'"));
        }
    }

    /// Waits for acknowledgements.
    async fn settle(&mut self) {
        let settles = Instant::now() + SETTLES_WITHIN;
        let progress = self.progress.clone();
        loop {
            match progress.commit() {
                Ok(Fate::Saved) if !progress.is_settled() => {}
                Ok(_) => return,
                Err(error) => {
                    let id = &self.cell.settings().id;
                    self.log
                        .error(&format!("Cannot save what was read of a bucket; id='{id}', error='{error}'"));
                    return;
                }
            }
            if timeout_at(settles, progress.changed.notified()).await.is_err() {
                return;
            }
        }
    }
}
