//! The set of running destinations, kept by name across reloads.
//!
//! In: the destinations of a configuration. Out: outlets for the router. Holds: queues and threads by id.
//! A reload stages first: new destinations start, running ones are unchanged until `commit`.
//! Limits: a removed destination has [`LEAVE_WITHIN`] to write waiting messages.

mod left_queues;

use crate::{
    network::raw_socket,
    options::{DestinationDriver, DestinationSpec, DiskBuffer, OverflowPolicy, SocketKind, SocketTarget},
    queue::{Command, WhenFull},
    shared_log::{SharedEntrance, SharedLogs},
    spool::{Entrance, Keeper},
    worker::{self, DestinationQueue},
};
use letters::{DeadLetters, StoreError};
use message::Outlet;
use socket2::Domain;
use std::{
    collections::HashMap,
    io,
    mem::{Discriminant, discriminant},
    path::PathBuf,
    sync::{Arc, atomic::Ordering},
    thread::JoinHandle,
    time::{Duration, Instant},
};
use transport::{
    InternalLog, Registry, StageError,
    tls::{SenderTls, TlsError},
};

/// Time for the queue of a destination that a reload removed.
const LEAVE_WITHIN: Duration = Duration::from_secs(10);

/// The running destinations.
pub struct Destinations {
    registry: Registry,
    log: InternalLog,
    running: HashMap<Key, Running>,
    shared_logs: SharedLogs,
    leaving: Vec<JoinHandle<()>>,
}

/// A queue outlives a reload under its id, as long as the kind of target is the same, and its queue, when that is on
/// disk, in the same folder, or under the same name in the same shared log.
type Key = (String, Discriminant<DestinationDriver>, Option<PathBuf>);

/// Destinations that a reload prepared; drop it to leave everything unchanged.
#[derive(Default)]
pub struct StagedDestinations {
    fresh: HashMap<Key, Running>,
    kept: HashMap<Key, DestinationSpec>,
    outlets: HashMap<String, Arc<dyn Outlet>>,
}

struct Running {
    queue: Arc<DestinationQueue>,
    disk: DiskEntrance,
    thread: Option<JoinHandle<()>>,
    letters: Option<Arc<DeadLetters>>,
}

/// The entrance of a queue on disk.
enum DiskEntrance {
    /// The queue is in memory.
    None,
    /// It has a folder of its own.
    Own(Arc<Entrance>),
    /// It shares a log.
    Shared(Arc<SharedEntrance>),
}

impl Running {
    fn outlet(&self) -> Arc<dyn Outlet> {
        match &self.disk {
            DiskEntrance::None => self.queue.clone(),
            DiskEntrance::Own(entrance) => entrance.clone(),
            DiskEntrance::Shared(entrance) => entrance.clone(),
        }
    }

    fn stop(&self, deadline: Instant) {
        match &self.disk {
            DiskEntrance::None => self.queue.command(Command::Stop(deadline)),
            DiskEntrance::Own(entrance) => entrance.stop(deadline),
            DiskEntrance::Shared(entrance) => entrance.stop(),
        }
    }
}

impl Destinations {
    /// Creates a set without destinations.
    pub fn new(registry: Registry, log: InternalLog) -> Destinations {
        Destinations {
            registry,
            log,
            running: HashMap::new(),
            shared_logs: SharedLogs::default(),
            leaving: Vec::new(),
        }
    }

    /// Starts new destinations. Those that already run under the same id keep their queue.
    pub fn stage(&self, specs: Vec<DestinationSpec>) -> Result<StagedDestinations, StageError> {
        let mut staged = StagedDestinations::default();
        for mut spec in specs {
            if staged.outlets.contains_key(&spec.id) {
                return Err(StageError::Twice { id: spec.id });
            }
            load_tls(&spec, &self.log)?;
            load_letter_keys(&mut spec)?;
            may_spoof(&spec)?;
            let folder = spec.queueing.disk.as_ref().map(|disk| match &disk.consumer {
                Some(consumer) => disk.folder.join(consumer),
                None => disk.folder.clone(),
            });
            let key = (spec.id.clone(), discriminant(&spec.driver), folder);
            let outlet = match self.running.get(&key) {
                Some(running) => {
                    staged.kept.insert(key.clone(), spec);
                    running.outlet()
                }
                None => {
                    let running = self.start(spec)?;
                    let outlet = running.outlet();
                    staged.fresh.insert(key.clone(), running);
                    outlet
                }
            };
            staged.outlets.insert(key.0, outlet);
        }
        let started = staged.fresh.iter().filter(|(_, running)| matches!(running.disk, DiskEntrance::Own(_)));
        left_queues::report(&started.filter_map(|(key, _)| key.2.clone()).collect(), &self.log);
        Ok(staged)
    }

    fn start(&self, mut spec: DestinationSpec) -> Result<Running, StageError> {
        let component = format!("dst.{}", spec.component);
        let counters = self.registry.register(&component, &spec.id, &spec.driver.instance());
        let queue = Arc::new(DestinationQueue::new(&spec.queueing, spec.when_full(), counters));
        let letters = open_letters(&spec, &queue)?;
        let services = (self.registry.clone(), self.log.clone(), letters.clone());
        let (disk, thread) = match spec.queueing.disk.clone() {
            None => {
                queue.counters.own(0);
                let thread = worker::spawn(spec, queue.clone(), services, || ());
                (DiskEntrance::None, thread.inspect_err(|_| queue.counters.disown())?)
            }
            Some(disk) if disk.consumer.is_some() => self.start_shared(spec, &queue, &disk, services)?,
            Some(disk) => {
                let mut keeper = Keeper::open(&spec.id, disk, queue.clone(), self.log.clone())?;
                if let DestinationDriver::Receiver(receiver) = &mut spec.driver {
                    receiver.log_to(&self.log);
                    keeper.adopt(&mut **receiver)?;
                }
                queue.counters.own(keeper.waiting());
                let thread = worker::spawn(spec, queue.clone(), services, || ());
                let thread = thread.inspect_err(|_| queue.counters.disown())?;
                (DiskEntrance::Own(keeper.entrance()), keeper.spawn(thread)?)
            }
        };
        Ok(Running { queue, disk, thread: Some(thread), letters })
    }

    /// Starts a destination that shares a log.
    fn start_shared(
        &self,
        spec: DestinationSpec,
        queue: &Arc<DestinationQueue>,
        disk: &DiskBuffer,
        services: (Registry, InternalLog, Option<Arc<DeadLetters>>),
    ) -> Result<(DiskEntrance, JoinHandle<()>), StageError> {
        let name = disk.consumer.as_deref().unwrap_or(&spec.id);
        let entrance = Arc::new(self.shared_logs.join((&spec.id, name), disk, queue, &self.log)?);
        queue.counters.own(entrance.waiting);
        let note = entrance.end_note();
        let thread = worker::spawn(spec, queue.clone(), services, move || drop(note));
        let thread = thread.inspect_err(|_| queue.counters.disown())?;
        Ok((DiskEntrance::Shared(entrance), thread))
    }

    /// Makes the staged set the running one: changed destinations get their new settings, removed ones write
    /// waiting messages and end. Commit the sources first: messages for a removed destination are dropped.
    pub fn commit(&mut self, mut staged: StagedDestinations) {
        self.leaving.retain(|thread| !thread.is_finished());
        let removed: Vec<Key> =
            self.running.keys().filter(|key| !staged.kept.contains_key(*key)).cloned().collect();
        for key in removed {
            if let Some(mut running) = self.running.remove(&key) {
                self.report_removed(&key, &running);
                running.stop(Instant::now() + LEAVE_WITHIN);
                self.leaving.extend(running.thread.take());
            }
        }
        for (key, spec) in staged.kept.drain() {
            if let Some(running) = self.running.get(&key) {
                match (&running.disk, &spec.queueing.disk) {
                    (DiskEntrance::Own(entrance), Some(disk)) => entrance.configure(disk.clone()),
                    (DiskEntrance::Shared(entrance), Some(disk)) => entrance.configure(disk.clone()),
                    _ => {}
                }
                if let (Some(letters), Some(options)) = (&running.letters, &spec.queueing.dead_letters) {
                    // Its keys were read when it was staged.
                    if let Err(error) = letters.configure(options.clone()) {
                        self.log.error(&format!("Options of dead letters do not change; error='{error}'"));
                    }
                }
                running.queue.resize(&spec.queueing, spec.when_full());
                running.queue.command(Command::Configure(Box::new(spec)));
            }
        }
        self.running.extend(staged.fresh.drain());
    }

    /// Reports that a queue on disk stays although its destination was removed.
    fn report_removed(&self, (id, _, folder): &Key, running: &Running) {
        let waiting = running.queue.counters.queued.load(Ordering::Relaxed);
        if let Some(folder) = folder.as_ref().filter(|_| waiting > 0) {
            self.log.warning(&format!(
                "Destination was removed from the configuration; what it cannot deliver now stays in its disk buffer; \
                 id='{id}', folder='{}', messages='{waiting}'",
                folder.display()
            ));
        }
    }

    /// Returns the dead letters of a destination and the queue in memory before it, even if there is also one on
    /// disk: a letter is durable until its message is settled, and keeps its id. `None` for a destination without
    /// dead letters.
    pub fn dead_letters(&self, id: &str) -> Option<(Arc<DeadLetters>, Arc<dyn Outlet>)> {
        let running = self.running.iter().find(|(key, _)| key.0 == id)?.1;
        Some((running.letters.clone()?, running.queue.clone()))
    }

    /// Returns the ids of the destinations that have a store of dead letters, in order.
    pub fn with_dead_letters(&self) -> Vec<String> {
        let with = self.running.iter().filter(|(_, running)| running.letters.is_some());
        let mut ids: Vec<String> = with.map(|(key, _)| key.0.clone()).collect();
        ids.sort();
        ids
    }

    /// Closes and opens again all files and pipes (`syslog-ng-ctl reopen`).
    pub fn reopen(&self) {
        self.running.values().for_each(|running| running.queue.command(Command::Reopen));
    }

    /// Writes waiting messages for at most `drain`, and ends. The rest is dropped and counted.
    pub fn stop(&mut self, drain: Duration) {
        let deadline = Instant::now() + drain;
        self.running.values().for_each(|running| running.stop(deadline));
        let threads = self.running.drain().filter_map(|(_, mut running)| running.thread.take());
        for thread in threads.collect::<Vec<_>>().into_iter().chain(self.leaving.drain(..)) {
            // A thread that panicked has reported it on the console.
            let _ = thread.join();
        }
        self.shared_logs.wait_for_end();
    }
}

/// Opens the store of dead letters of a receiver that answers for each message.
fn open_letters(
    spec: &DestinationSpec,
    queue: &DestinationQueue,
) -> Result<Option<Arc<DeadLetters>>, StageError> {
    if !matches!(spec.driver, DestinationDriver::Receiver(_)) {
        return Ok(None);
    }
    let failed =
        |source: io::Error| StageError::Open { id: spec.id.clone(), what: "dead letters".to_owned(), source };
    let options = spec.queueing.dead_letters.clone();
    let options = options.ok_or_else(|| failed(io::Error::other("no folder is set for them")))?;
    let letters = DeadLetters::open(options, queue.counters.clone()).map_err(|error| failed(error.into()))?;
    Ok(Some(Arc::new(letters)))
}

/// Reads the keys that dead letters are encrypted for and opened with.
fn load_letter_keys(spec: &mut DestinationSpec) -> Result<(), StageError> {
    let Some(options) = &mut spec.queueing.dead_letters else { return Ok(()) };
    let failed = |error: StoreError| StageError::Open {
        id: spec.id.clone(),
        what: "dead letters".to_owned(),
        source: error.into(),
    };
    options.load_keys().map(drop).map_err(failed)
}

/// Reads certificates and keys. A key that waits for its password is not an error: messages wait until it is given.
fn load_tls(spec: &DestinationSpec, log: &InternalLog) -> Result<(), StageError> {
    let loaded = match &spec.driver {
        DestinationDriver::Socket(SocketTarget { kind: SocketKind::Dtls(_, _, dtls), .. }) => {
            dtls.settings().map(drop)
        }
        driver => driver.tls().map_or(Ok(()), |tls| tls.settings().map(drop)),
    };
    match loaded {
        Ok(()) => Ok(()),
        Err(error @ TlsError::Locked { .. }) => {
            log.warning(&format!("Encrypted connections must wait; id='{}', error='{error}'", spec.id));
            Ok(())
        }
        Err(source) => Err(StageError::Tls { id: spec.id.clone(), source }),
    }
}

/// Checks that the system allows us to send packets with other addresses, so that the error appears at the start,
/// not with the first message.
fn may_spoof(spec: &DestinationSpec) -> Result<(), StageError> {
    let DestinationDriver::Spoof(target) = &spec.driver else { return Ok(()) };
    let permission = "a raw socket (spoof-source() needs the capability CAP_NET_RAW: run as root, write \
                AmbientCapabilities=CAP_NET_RAW into the unit, or `setcap cap_net_raw+ep` the program)";
    let domain = if target.socket.ipv6 { Domain::IPV6 } else { Domain::IPV4 };
    match raw_socket(target, domain) {
        Ok(_) => Ok(()),
        Err(source) => {
            let is_denied = source.kind() == io::ErrorKind::PermissionDenied;
            let what = if is_denied { permission } else { "a raw socket for spoof-source()" };
            Err(StageError::Open { id: spec.id.clone(), what: what.to_owned(), source })
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
            self.stop(Instant::now());
        }
    }
}

impl DestinationDriver {
    /// Third column of its counters.
    pub(super) fn instance(&self) -> String {
        match self {
            DestinationDriver::File(target) => {
                target.name.constant().unwrap_or(&target.trusted_prefix).to_owned()
            }
            DestinationDriver::Socket(target) => match &target.kind {
                SocketKind::Tcp(host, port) => format!("tcp,{host}:{port}"),
                SocketKind::Udp(host, port) => format!("udp,{host}:{port}"),
                SocketKind::Dtls(host, port, _) => format!("dtls,{host}:{port}"),
                SocketKind::UnixStream(path) => format!("unix-stream,localhost.afunix:{}", path.display()),
                SocketKind::UnixDatagram(path) => format!("unix-dgram,localhost.afunix:{}", path.display()),
            },
            DestinationDriver::Spoof(target) => remote("udp", &target.socket),
            DestinationDriver::Relp(target) => remote("relp", &target.socket),
            DestinationDriver::Sltp(target) => remote("sltp", &target.socket),
            DestinationDriver::Mail(target) => remote("smtp", &target.socket),
            DestinationDriver::Gelf(target) => remote("gelf", &target.socket),
            DestinationDriver::Pipe(target) => target.path.display().to_string(),
            DestinationDriver::Pseudofile(target) => target.path.display().to_string(),
            DestinationDriver::Program(target) => target.command.clone(),
            DestinationDriver::Terminals(target) => target.user.clone(),
            DestinationDriver::Stdout => "-".to_owned(),
            DestinationDriver::Receiver(receiver) => receiver.instance(),
        }
    }

    /// Returns the settings by which its connections are encrypted.
    fn tls(&self) -> Option<&SenderTls> {
        match self {
            DestinationDriver::Socket(target) => target.tls.as_ref(),
            DestinationDriver::Relp(target) => target.socket.tls.as_ref(),
            DestinationDriver::Sltp(target) => target.socket.tls.as_ref(),
            DestinationDriver::Mail(target) => target.starttls.as_ref().or(target.socket.tls.as_ref()),
            _ => None,
        }
    }
}

impl DestinationSpec {
    /// Returns what its queue in memory does when it is full.
    fn when_full(&self) -> WhenFull {
        match (self.queueing.on_full, &self.driver) {
            (OverflowPolicy::ByPath, DestinationDriver::File(_)) => WhenFull::HoldsBack,
            (OverflowPolicy::ByPath, _) => WhenFull::Drops,
            (OverflowPolicy::Hold, _) => WhenFull::HoldsBack,
            (OverflowPolicy::Drop(victim), _) => WhenFull::DropsAll(victim),
        }
    }
}

/// A receiver that speaks a protocol of its own.
fn remote(protocol: &str, target: &SocketTarget) -> String {
    match &target.kind {
        SocketKind::Tcp(host, port) | SocketKind::Udp(host, port) | SocketKind::Dtls(host, port, _) => {
            format!("{protocol},{host}:{port}")
        }
        SocketKind::UnixStream(path) | SocketKind::UnixDatagram(path) => {
            format!("{protocol},{}", path.display())
        }
    }
}

#[cfg(test)]
mod tests;
