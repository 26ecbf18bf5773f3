//! The set of running destinations, kept by name over reloads.
//!
//! In: what a configuration asks for. Out: outlets for the router. Holds: queues and threads by id.
//! A reload stages first: new destinations start, running ones stay as they are until `commit`.
//! Limits: a removed destination gets [`LEAVE_WITHIN`] to write what waits.

use super::{
    options::{DestinationDriver, DestinationSpec},
    queue::{Command, Queue},
    worker,
};
use crate::{InternalLog, Registry, StageError};
use message::Outlet;
use std::{
    collections::HashMap,
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

/// Time for the queue of a destination that a reload removed.
const LEAVE_WITHIN: Duration = Duration::from_secs(10);

/// The running destinations.
pub struct Destinations {
    registry: Registry,
    log: InternalLog,
    running: HashMap<String, Running>,
    leaving: Vec<JoinHandle<()>>,
}

/// What a reload prepared: drop it to leave everything as it was.
#[derive(Default)]
pub struct StagedDestinations {
    fresh: HashMap<String, Running>,
    kept: HashMap<String, DestinationSpec>,
    outlets: HashMap<String, Arc<dyn Outlet>>,
}

struct Running {
    queue: Arc<Queue>,
    thread: Option<JoinHandle<()>>,
}

impl Destinations {
    /// No destination yet.
    pub fn new(registry: Registry, log: InternalLog) -> Destinations {
        Destinations { registry, log, running: HashMap::new(), leaving: Vec::new() }
    }

    /// Starts what is new. Destinations that run already under the same id keep their queue.
    pub fn stage(&self, specs: Vec<DestinationSpec>) -> Result<StagedDestinations, StageError> {
        let mut staged = StagedDestinations::default();
        for spec in specs {
            if staged.outlets.contains_key(&spec.id) {
                return Err(StageError::Twice { id: spec.id });
            }
            if let Some(running) = self.running.get(&spec.id) {
                staged.outlets.insert(spec.id.clone(), running.queue.clone());
                staged.kept.insert(spec.id.clone(), spec);
                continue;
            }
            let id = spec.id.clone();
            let running = self.start(spec)?;
            staged.outlets.insert(id.clone(), running.queue.clone());
            staged.fresh.insert(id, running);
        }
        Ok(staged)
    }

    fn start(&self, spec: DestinationSpec) -> Result<Running, StageError> {
        let component = format!("dst.{}", spec.component);
        let counters = self.registry.register(&component, &spec.id, &spec.driver.instance());
        let queue = Arc::new(Queue::new(&spec.queueing, spec.driver.holds_back(), counters));
        let thread = worker::spawn(spec, queue.clone(), self.log.clone())?;
        Ok(Running { queue, thread: Some(thread) })
    }

    /// Makes the staged set the running one: changed destinations get their new settings, removed ones write what
    /// waits and end.
    pub fn commit(&mut self, mut staged: StagedDestinations) {
        self.leaving.retain(|thread| !thread.is_finished());
        let removed: Vec<String> =
            self.running.keys().filter(|id| !staged.kept.contains_key(*id)).cloned().collect();
        for id in removed {
            if let Some(mut running) = self.running.remove(&id) {
                running.queue.command(Command::Stop(Instant::now() + LEAVE_WITHIN));
                self.leaving.extend(running.thread.take());
            }
        }
        for (id, spec) in staged.kept.drain() {
            if let Some(running) = self.running.get(&id) {
                running.queue.resize(&spec.queueing, spec.driver.holds_back());
                running.queue.command(Command::Configure(Box::new(spec)));
            }
        }
        self.running.extend(staged.fresh.drain());
    }

    /// Closes and opens again all files and pipes (`syslog-ng-ctl reopen`).
    pub fn reopen(&self) {
        self.running.values().for_each(|running| running.queue.command(Command::Reopen));
    }

    /// Writes what waits, for at most `drain`, and ends. What could not be written is dropped and counted.
    pub fn stop(&mut self, drain: Duration) {
        let deadline = Instant::now() + drain;
        self.running.values().for_each(|running| running.queue.command(Command::Stop(deadline)));
        let threads = self.running.drain().filter_map(|(_, mut running)| running.thread.take());
        for thread in threads.collect::<Vec<_>>().into_iter().chain(self.leaving.drain(..)) {
            // A thread that panicked has said so on the console.
            let _ = thread.join();
        }
    }
}

impl StagedDestinations {
    /// The entrances of all destinations of the configuration, by id.
    pub fn outlets(&self) -> &HashMap<String, Arc<dyn Outlet>> {
        &self.outlets
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.thread.is_some() {
            self.queue.command(Command::Stop(Instant::now()));
        }
    }
}

impl DestinationDriver {
    /// Third column of its counters.
    pub(super) fn instance(&self) -> String {
        use super::options::SocketKind;
        match self {
            DestinationDriver::File(target) => {
                target.name.constant().unwrap_or(&target.trusted_prefix).to_owned()
            }
            DestinationDriver::Socket(target) => match &target.kind {
                SocketKind::Tcp(host, port) => format!("tcp,{host}:{port}"),
                SocketKind::Udp(host, port) => format!("udp,{host}:{port}"),
                SocketKind::UnixStream(path) => format!("unix-stream,localhost.afunix:{}", path.display()),
                SocketKind::UnixDatagram(path) => format!("unix-dgram,localhost.afunix:{}", path.display()),
            },
            DestinationDriver::Pipe(target) => target.path.display().to_string(),
            DestinationDriver::Program(target) => target.command.clone(),
            DestinationDriver::Terminals(target) => target.user.clone(),
            DestinationDriver::Stdout => "-".to_owned(),
        }
    }

    /// Whether its queue holds the sources back instead of dropping, flow control or not.
    pub(super) fn holds_back(&self) -> bool {
        matches!(self, DestinationDriver::File(_))
    }
}
