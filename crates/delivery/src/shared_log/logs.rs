//! The shared logs that run, by folder.
//!
//! In: destinations that join and leave. Out: their entrances. Holds: the thread of each log, which ends with its last
//! destination. Limits: a log answers a request within [`ANSWER_WITHIN`].

use super::{
    files::LogFiles,
    inbox::{Inbox, JoinRequest, LogPlace},
    thread::LogThread,
};
use crate::{options::DiskBuffer, queue::Command, worker::DestinationQueue};
use journal::OpenError;
use message::{Delivery, Outlet, WriteBudget};
use std::{
    collections::HashMap,
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::JoinHandle,
    time::{Duration, Instant},
};
use transport::{InternalLog, StageError};

/// How long a destination waits for its place: its former life in the log must have ended, and the disk must work.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// The running logs.
#[derive(Default)]
pub(crate) struct SharedLogs {
    running: Mutex<HashMap<PathBuf, RunningLog>>,
}

struct RunningLog {
    inbox: Arc<Inbox>,
    thread: JoinHandle<()>,
}

/// The entrance of one destination.
pub(crate) struct SharedEntrance {
    inbox: Arc<Inbox>,
    number: usize,
    queue: Arc<DestinationQueue>,
    /// Messages that waited when it joined.
    pub(crate) waiting: u64,
}

impl SharedLogs {
    /// Gives a destination its place in a log, which is opened for the first one. `name` is its name there.
    pub(crate) fn join(
        &self,
        (id, name): (&str, &str),
        settings: &DiskBuffer,
        queue: &Arc<DestinationQueue>,
        log: &InternalLog,
    ) -> Result<SharedEntrance, StageError> {
        let failed = |source: io::Error| StageError::Open {
            id: id.to_owned(),
            what: format!("shared disk buffer {}", settings.folder.display()),
            source,
        };
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let (reply, answer) = mpsc::channel();
        let mut request = JoinRequest {
            id: id.to_owned(),
            name: name.to_owned(),
            settings: Box::new(settings.clone()),
            queue: queue.clone(),
            reply,
        };
        let inbox = loop {
            if let Some(log) = running.get(&settings.folder) {
                match log.inbox.request(request) {
                    Ok(()) => break log.inbox.clone(),
                    Err(refused) => request = refused,
                }
            }
            // Its last destination has ended.
            if let Some(ended) = running.remove(&settings.folder) {
                let _ = ended.thread.join();
            }
            let started = start(settings, log).map_err(|source| match source {
                StartError::Files(error) => failed(io::Error::other(error.to_string())),
                StartError::Thread(source) => StageError::Thread { id: id.to_owned(), source },
            })?;
            running.insert(settings.folder.clone(), started);
        };
        drop(running);
        let place =
            answer.recv_timeout(ANSWER_WITHIN).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        let LogPlace { number, waiting } = place.map_err(failed)?;
        Ok(SharedEntrance { inbox, number, queue: queue.clone(), waiting })
    }

    /// Waits for the end of all logs: their destinations have ended.
    pub(crate) fn wait_for_end(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        for (_, log) in running.drain() {
            // A thread that panicked has reported it on the console.
            let _ = log.thread.join();
        }
    }
}

/// The reason why a log does not start.
enum StartError {
    Files(OpenError),
    Thread(io::Error),
}

fn start(settings: &DiskBuffer, log: &InternalLog) -> Result<RunningLog, StartError> {
    let files = LogFiles::open(settings.disk.clone(), &settings.folder, log).map_err(StartError::Files)?;
    let inbox = Arc::new(Inbox::new());
    let thread = LogThread::new(files, inbox.clone(), log.clone());
    let name = settings.folder.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let thread = std::thread::Builder::new().name(format!("disk {name}")).spawn(move || thread.run());
    Ok(RunningLog { inbox, thread: thread.map_err(StartError::Thread)? })
}

impl SharedEntrance {
    /// Applies new settings.
    pub(crate) fn configure(&self, settings: DiskBuffer) {
        self.inbox.configure(self.number, settings);
    }

    /// Stops the destination's thread. What it has not written stays on disk.
    pub(crate) fn stop(&self) {
        self.queue.command(Command::Stop(Instant::now()));
    }

    /// Returns what tells the log, when it is dropped, that the destination's thread has ended.
    pub(crate) fn end_note(self: &Arc<SharedEntrance>) -> EndNote {
        EndNote(self.clone())
    }
}

/// Tells the log, when it is dropped, that a destination's thread has ended, be it by a panic.
pub(crate) struct EndNote(Arc<SharedEntrance>);

impl Drop for EndNote {
    fn drop(&mut self) {
        self.0.inbox.note_end(self.0.number);
    }
}

impl Outlet for SharedEntrance {
    fn deliver(&self, delivery: Delivery, _budget: &WriteBudget) {
        self.inbox.deliver(self.number, &self.queue, delivery);
    }
}
