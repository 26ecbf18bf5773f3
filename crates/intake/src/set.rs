//! The set of running sources, identified across reloads by what they read from.
//!
//! In: the sources of a configuration. Out: tasks on the reactors. Holds: listening sockets, their tasks, settings.
//! A reload stages first: new sockets are opened, running ones are unchanged until `commit`.
//! Limits: an address that a source to be removed still holds is opened at the commit; if that fails, it is reported
//! in the log and the source stays closed until the next reload.

mod claims;

use crate::{
    dialogue::StreamPositions,
    file::{Following, FollowingAll, Track, follow, follow_all},
    local::{
        Local, generate, has_journal, has_kernel_records, is_device, read_internal, read_journal,
        read_kernel_records, read_pipe, read_program, read_stdin,
    },
    options::{
        DatagramListener, Dialogue, FileSource, JournalSource, ListenAddress, SourceOptions, StreamListener,
    },
    positions::{Claim, Owners, PositionOwner, Positions},
    socket::{
        Accepting, ConnectionBudget, DtlsCounts, Listening, accept, adjust, open_datagram, open_stream,
        receive, receive_dtls,
    },
    source::{InputTask, Settings, SettingsCell, SourceDriver, SourceSpec},
};
use sltp::Streams;
use socket2::Socket;
use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};
use tokio::sync::watch;
use transport::{HostNames, InternalLog, Reactors, Registry, StageError, tls::TlsError};
use wire::{Framing, ParseFlags};

/// Socket to which programs write on a machine without a journal.
const DEV_LOG: &str = "/dev/log";
/// Device to which its kernel writes records.
const KERNEL_RECORDS: &str = "/dev/kmsg";
/// File to which its kernel writes lines.
const KERNEL_MESSAGES: &str = "/proc/kmsg";
/// How often to check for the end of the tasks at the stop.
const LOOK_EVERY: Duration = Duration::from_millis(1);

/// The running sources.
pub struct Sources {
    registry: Registry,
    log: InternalLog,
    reactors: Reactors,
    names: HostNames,
    positions: Positions,
    /// The streams of senders of SLTP.
    streams: Streams,
    budget: ConnectionBudget,
    running: HashMap<String, Running>,
}

/// Sources that a reload prepared; drop it to leave everything as it was.
#[derive(Default)]
pub struct StagedSources {
    fresh: Vec<(Planned, OpenedSource)>,
    kept: Vec<(String, SourceSpec)>,
    /// Those that follow files, in the order of the configuration.
    claims: Vec<Claim>,
}

/// A source that is to be started.
struct Planned {
    key: String,
    spec: SourceSpec,
    /// The owner of its positions, if it follows files.
    owner: Option<PositionOwner>,
}

struct Running {
    cell: Arc<SettingsCell>,
    stop: watch::Sender<bool>,
    /// Second handles of the listening sockets, for changed options.
    sockets: Vec<Socket>,
    /// A unix socket whose file is removed with the source.
    path: Option<PathBuf>,
}

enum OpenedSource {
    Stream(Listening),
    Datagram(Listening),
    /// The address is still held by a source that the commit removes.
    Later,
    Nothing,
}

impl Sources {
    /// Starts without sources. `reactors` is the number of threads that read sockets, 0 for one per core; `positions`
    /// is the file that keeps positions across restarts.
    pub fn start(
        registry: Registry,
        log: InternalLog,
        reactors: usize,
        positions: Option<&Path>,
    ) -> Result<Sources, StageError> {
        let failed = |source| StageError::Thread { id: "sources".to_owned(), source };
        let positions = Positions::open(positions, &log)?;
        Ok(Sources {
            registry,
            streams: Streams::new(Box::new(StreamPositions::new(positions.clone()))),
            positions,
            log,
            reactors: Reactors::start(reactors).map_err(failed)?,
            names: HostNames::start().map_err(failed)?,
            budget: ConnectionBudget::default(),
            running: HashMap::new(),
        })
    }

    /// Sets how many connections all listeners may have together: a descriptor each.
    pub fn limit_connections(&self, max: usize) {
        self.budget.set_max(max);
    }

    /// Opens new sources. Those that read from the same place as before keep their sockets and connections.
    pub fn stage(&self, specs: Vec<SourceSpec>) -> Result<StagedSources, StageError> {
        let mut staged = StagedSources::default();
        let mut keys = HashSet::new();
        let (mut opened, mut owners) = (Vec::new(), Owners::default());
        for spec in specs {
            load_tls(&spec, &self.log)?;
            let claim = claims::claim(&mut owners, &spec);
            let owner = claim.as_ref().map(|claim| claim.owner.clone());
            let mut key = claims::key(owner.as_ref(), spec.driver.identity());
            staged.claims.extend(claim);
            while !keys.insert(key.clone()) {
                key.push('\'');
            }
            if self.running.contains_key(&key) {
                staged.kept.push((key, spec));
            } else {
                opened.push(Planned { key, spec, owner });
            }
        }
        let frees = self.running.keys().any(|key| !keys.contains(key));
        for planned in opened {
            let spec = &planned.spec;
            let open = match open(&spec.driver, self.reactors.count()) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse && frees => OpenedSource::Later,
                Err(error) if spec.options.optional => {
                    self.cannot_open(spec, &error);
                    continue;
                }
                result => result.map_err(|source| StageError::Open {
                    id: spec.id.clone(),
                    what: spec.driver.instance(),
                    source,
                })?,
            };
            staged.fresh.push((planned, open));
        }
        Ok(staged)
    }

    /// Makes the staged set the running one.
    pub fn commit(&mut self, staged: StagedSources) {
        let kept: HashSet<&String> = staged.kept.iter().map(|(key, _)| key).collect();
        let removed: Vec<String> = self.running.keys().filter(|key| !kept.contains(key)).cloned().collect();
        let leaving: Vec<Running> = removed.iter().filter_map(|key| self.running.remove(key)).collect();
        leaving.iter().for_each(Running::stop);
        wait_for_end(&leaving, Instant::now() + Duration::from_secs(1));
        drop(leaving);
        for (key, spec) in staged.kept {
            self.change(&key, spec);
        }
        self.positions.inherit(&staged.claims);
        for (planned, opened) in staged.fresh {
            let opened = match opened {
                OpenedSource::Later => open(&planned.spec.driver, self.reactors.count()),
                opened => Ok(opened),
            };
            match opened {
                Ok(opened) => self.run(planned, opened),
                Err(error) => self.cannot_open(&planned.spec, &error),
            }
        }
    }

    fn cannot_open(&self, spec: &SourceSpec, error: &io::Error) {
        self.log.error(&format!(
            "Cannot open a source, continuing without it; id='{}', what='{}', error='{error}'",
            spec.id,
            spec.driver.instance()
        ));
    }

    /// Applies new settings to a running source. Connections are closed if they must not outlive a reload, or if
    /// the protocol changes: as in syslog-ng, their senders connect again.
    fn change(&mut self, key: &str, spec: SourceSpec) {
        let Some(running) = self.running.get_mut(key) else { return };
        let closes = match &spec.driver {
            SourceDriver::Stream(options) => {
                !options.keep_over_reload
                    || !is_same_protocol(&running.cell.settings(), options, &spec.options)
            }
            SourceDriver::Generator(_) => true,
            _ => false,
        };
        for socket in &running.sockets {
            let adjusted = match &spec.driver {
                SourceDriver::Stream(options) => {
                    adjust(socket, options.receive_buffer, Some(options.backlog))
                }
                SourceDriver::Datagram(options) => adjust(socket, options.receive_buffer, None),
                _ => Ok(()),
            };
            if let Err(error) = adjusted {
                self.log.warning(&format!(
                    "Cannot change the options of a socket; id='{}', error='{error}'",
                    spec.id
                ));
            }
        }
        if closes {
            self.restart(key, spec);
            return;
        }
        let old = running.cell.settings();
        let settings = settings_of(&self.registry, spec);
        if !Arc::ptr_eq(&old.counters, &settings.counters) {
            let connections = old.counters.connections.load(std::sync::atomic::Ordering::Relaxed);
            settings.counters.connections.store(connections, std::sync::atomic::Ordering::Relaxed);
            old.counters.orphan();
        }
        running.cell.replace(settings);
    }

    /// Ends the tasks of a source and starts new ones on the same socket.
    fn restart(&mut self, key: &str, spec: SourceSpec) {
        let Some(running) = self.running.remove(key) else { return };
        running.stop();
        let socket = running.sockets.first().and_then(|socket| socket.try_clone().ok());
        let inherited = running.path.is_none();
        let opened = socket.map_or(OpenedSource::Nothing, |socket| {
            OpenedSource::Stream(Listening { socket, others: Vec::new(), inherited })
        });
        let mut running = running;
        running.path = None;
        drop(running);
        self.run(Planned { key: key.to_owned(), spec, owner: None }, opened);
    }

    fn run(&mut self, planned: Planned, opened: OpenedSource) {
        let Planned { key, spec, owner } = planned;
        let (stop, stopped) = watch::channel(false);
        let driver = spec.driver.clone();
        let cell = SettingsCell::new(settings_of(&self.registry, spec));
        let mut running = Running { cell: cell.clone(), stop, sockets: Vec::new(), path: None };
        if let OpenedSource::Stream(listening) | OpenedSource::Datagram(listening) = &opened {
            let sockets = std::iter::once(&listening.socket).chain(&listening.others);
            running.sockets = sockets.filter_map(|socket| socket.try_clone().ok()).collect();
            running.path = driver.socket_path().filter(|_| !listening.inherited).map(Path::to_owned);
        }
        match opened {
            OpenedSource::Stream(listening) => self.reactors.spawn(accept(
                listening.socket,
                Accepting {
                    cell,
                    names: self.names.clone(),
                    reactors: self.reactors.clone(),
                    log: self.log.clone(),
                    budget: self.budget.clone(),
                    streams: self.streams.clone(),
                    stop: stopped,
                },
            )),
            OpenedSource::Datagram(listening) => {
                if matches!(driver, SourceDriver::System { with_kernel: true }) {
                    self.run_local((kernel_messages(), None), &cell, stopped.clone());
                }
                let counts = DtlsCounts::default();
                for socket in std::iter::once(listening.socket).chain(listening.others) {
                    let (names, log) = (self.names.clone(), self.log.clone());
                    let (cell, stopped) = (cell.clone(), stopped.clone());
                    match &driver {
                        SourceDriver::Datagram(DatagramListener { dtls: Some(_), .. }) => {
                            self.reactors.spawn(receive_dtls(
                                socket,
                                cell,
                                (names, log),
                                counts.clone(),
                                stopped,
                            ));
                        }
                        _ => self.reactors.spawn(receive(socket, cell, names, log, stopped)),
                    }
                }
            }
            OpenedSource::Nothing | OpenedSource::Later => self.run_local((driver, owner), &cell, stopped),
        }
        self.running.insert(key, running);
    }

    fn run_local(
        &self,
        (driver, owner): (SourceDriver, Option<PositionOwner>),
        cell: &Arc<SettingsCell>,
        stop: watch::Receiver<bool>,
    ) {
        let here = Local {
            cell: cell.clone(),
            log: self.log.clone(),
            positions: self.positions.clone(),
            stop: stop.clone(),
        };
        match driver {
            SourceDriver::File(options) if options.path == Path::new(KERNEL_RECORDS) => {
                self.reactors.spawn(read_kernel_records(here, options));
            }
            SourceDriver::File(options) if is_device(&options.path) => {
                self.reactors.spawn(read_pipe(here, options.path));
            }
            SourceDriver::File(options) => {
                let Some(owner) = owner else { return };
                let following = Following {
                    poll_every: options.poll_every,
                    from_start: options.from_start,
                    ends_when_gone: false,
                    track: Track::new(owner.position_name(&options.path), self.positions.clone()),
                    batch_reader: super::batch_reader::BatchReader::new(cell),
                    log: self.log.clone(),
                    path: options.path,
                };
                self.reactors.spawn_on_files(follow(following, stop));
            }
            SourceDriver::Wildcard(options) => {
                let Some(owner) = owner else { return };
                let all = FollowingAll {
                    options,
                    owner,
                    cell: cell.clone(),
                    positions: self.positions.clone(),
                    reactors: self.reactors.clone(),
                    log: self.log.clone(),
                };
                self.reactors.spawn_on_files(follow_all(all, stop));
            }
            SourceDriver::Pipe(options) => self.reactors.spawn(read_pipe(here, options.path)),
            SourceDriver::Program(options) => self.reactors.spawn(read_program(here, options)),
            SourceDriver::Stdin => self.reactors.spawn(read_stdin(here)),
            SourceDriver::Internal => self.reactors.spawn(read_internal(here)),
            SourceDriver::Journal(options) => self.reactors.spawn(read_journal(here, options)),
            SourceDriver::System { .. } => self.reactors.spawn(read_journal(here, JournalSource::default())),
            SourceDriver::Input(input) => input.start(InputTask {
                cell: cell.clone(),
                log: self.log.clone(),
                reactors: self.reactors.clone(),
                positions: self.positions.clone(),
                stop,
            }),
            SourceDriver::Generator(options) => self.reactors.spawn(generate(here, options)),
            // Their sockets were opened before.
            SourceDriver::Stream(_) | SourceDriver::Datagram(_) => {}
        }
    }

    /// Stops reading; messages already read continue. Waits at most `limit` for the readers to end. Call
    /// [`Sources::save_positions`] when the destinations have written what they had.
    pub fn stop(&mut self, limit: Duration) {
        let leaving: Vec<Running> = self.running.drain().map(|(_, running)| running).collect();
        leaving.iter().for_each(Running::stop);
        wait_for_end(&leaving, Instant::now() + limit);
    }

    /// Saves the acknowledged positions now.
    pub fn save_positions(&self) {
        self.positions.save();
    }
}

fn wait_for_end(leaving: &[Running], deadline: Instant) {
    while leaving.iter().any(|running| !running.stop.is_closed()) && Instant::now() < deadline {
        std::thread::sleep(LOOK_EVERY);
    }
}

impl Running {
    fn stop(&self) {
        self.stop.send_replace(true);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
        self.cell.settings().counters.orphan();
        if let Some(path) = &self.path {
            // It may be gone already; a new listener replaces it anyway.
            let _ = fs::remove_file(path);
        }
    }
}

/// Tells whether the connections of a running listener may continue with new settings: TLS, a PROXY header, the framing and
/// the kind of messages are agreed upon when a connection begins.
fn is_same_protocol(old: &Settings, new: &StreamListener, options: &SourceOptions) -> bool {
    let SourceDriver::Stream(listener) = &old.driver else { return false };
    listener.tls.is_some() == new.tls.is_some()
        && (listener.encryption, listener.proxy) == (new.encryption, new.proxy)
        && (old.options.framing, old.options.form) == (options.framing, options.form)
}

/// The settings of a source as its readers see them.
fn settings_of(registry: &Registry, spec: SourceSpec) -> Settings {
    let component = format!("src.{}", spec.component);
    let counters = registry.register(&component, &spec.id, &spec.driver.instance());
    counters.hears_machine.store(spec.driver.is_local(), Ordering::Relaxed);
    let mut options = spec.options;
    if spec.driver.is_local() {
        let changed = Arc::make_mut(&mut options);
        changed.decode.flags = changed.decode.flags.with(ParseFlags::LOCAL);
        if matches!(spec.driver, SourceDriver::System { .. }) {
            // Neither /dev/log nor the kernel names the host; the kernel's records are lines.
            changed.decode.flags = changed.decode.flags.without(ParseFlags::EXPECT_HOSTNAME);
            changed.framing = Framing::Newline;
        }
    }
    Settings {
        id: spec.id,
        component: spec.component,
        driver: spec.driver,
        options,
        intake: spec.intake,
        counters,
    }
}

/// Reads certificates and keys. A key that waits for its password is not an error: until then its source refuses
/// connections.
fn load_tls(spec: &SourceSpec, log: &InternalLog) -> Result<(), StageError> {
    let loaded = match &spec.driver {
        SourceDriver::Stream(StreamListener { tls: Some(tls), .. }) => tls.settings().map(drop),
        SourceDriver::Datagram(DatagramListener { dtls: Some(dtls), .. }) => dtls.settings().map(drop),
        SourceDriver::Input(input) => input.load_tls(),
        _ => Ok(()),
    };
    match loaded {
        Ok(()) => Ok(()),
        Err(error @ TlsError::Locked { .. }) => {
            log.warning(&format!(
                "Encrypted connections are refused for now; id='{}', error='{error}'",
                spec.id
            ));
            Ok(())
        }
        Err(source) => Err(StageError::Tls { id: spec.id.clone(), source }),
    }
}

fn open(driver: &SourceDriver, reactors: usize) -> io::Result<OpenedSource> {
    Ok(match driver {
        SourceDriver::Stream(options) => OpenedSource::Stream(open_stream(options)?),
        SourceDriver::Datagram(options) => OpenedSource::Datagram(open_datagram(options, reactors)?),
        SourceDriver::System { .. } if !has_journal() => {
            let options = DatagramListener::new(ListenAddress::Unix(DEV_LOG.into()));
            OpenedSource::Datagram(open_datagram(&options, 1)?)
        }
        _ => OpenedSource::Nothing,
    })
}

/// Returns the source of the kernel's messages: its records, or its lines where records cannot be read.
fn kernel_messages() -> SourceDriver {
    if has_kernel_records() {
        return SourceDriver::File(FileSource {
            path: KERNEL_RECORDS.into(),
            poll_every: Duration::from_secs(1),
            from_start: true,
            persist_name: None,
        });
    }
    SourceDriver::Pipe(super::options::PipeSource {
        path: KERNEL_MESSAGES.into(),
        permissions: transport::FilePermissions::default(),
        folders: None,
    })
}

impl SourceDriver {
    /// Names what it reads from: the same text before and after a reload means the same sockets and connections.
    fn identity(&self) -> String {
        match self {
            SourceDriver::Stream(options) => match &options.dialogue {
                Dialogue::None => format!("stream {}", shown(&options.address)),
                Dialogue::Relp => format!("relp {}", shown(&options.address)),
                Dialogue::Beats(_) => format!("beats {}", shown(&options.address)),
                Dialogue::Sltp(_) => format!("sltp {}", shown(&options.address)),
                Dialogue::Http(_) => format!("http {}", shown(&options.address)),
            },
            SourceDriver::Datagram(options) if options.dtls.is_some() => {
                format!("dtls {}", shown(&options.address))
            }
            SourceDriver::Datagram(options) => format!("datagram {}", shown(&options.address)),
            SourceDriver::File(options) => format!("file {options:?}"),
            SourceDriver::Wildcard(options) => format!("wildcard-file {options:?}"),
            SourceDriver::Pipe(options) => format!("pipe {}", options.path.display()),
            SourceDriver::Program(options) => format!("program {}", options.command),
            SourceDriver::Stdin => "stdin".to_owned(),
            SourceDriver::Internal => "internal".to_owned(),
            SourceDriver::Journal(options) => format!("journal {options:?}"),
            SourceDriver::System { with_kernel: true } => "system".to_owned(),
            SourceDriver::System { with_kernel: false } => "system without the kernel".to_owned(),
            SourceDriver::Input(input) => input.identity(),
            SourceDriver::Generator(_) => "generator".to_owned(),
        }
    }

    /// Third column of its counters.
    fn instance(&self) -> String {
        match self {
            SourceDriver::Stream(options) => match &options.address {
                ListenAddress::Ip(address) => format!("afsocket_sd.(stream,AF_INET({address}))"),
                ListenAddress::Unix(path) => path.display().to_string(),
            },
            SourceDriver::Datagram(options) => match &options.address {
                ListenAddress::Ip(address) => format!("afsocket_sd.(dgram,AF_INET({address}))"),
                ListenAddress::Unix(path) => path.display().to_string(),
            },
            SourceDriver::File(options) => options.path.display().to_string(),
            SourceDriver::Wildcard(options) => options.folder.join(&options.pattern).display().to_string(),
            SourceDriver::Pipe(options) => options.path.display().to_string(),
            SourceDriver::Program(options) => options.command.clone(),
            SourceDriver::Stdin => "-".to_owned(),
            SourceDriver::Journal(options) => {
                let folder = options.folder.as_ref().map(|folder| folder.display().to_string());
                folder.or_else(|| options.namespace.clone()).unwrap_or_else(|| "journal".to_owned())
            }
            SourceDriver::Input(input) => input.instance(),
            SourceDriver::Internal | SourceDriver::System { .. } | SourceDriver::Generator(_) => {
                String::new()
            }
        }
    }

    fn socket_path(&self) -> Option<&Path> {
        match self {
            SourceDriver::Stream(StreamListener { address: ListenAddress::Unix(path), .. })
            | SourceDriver::Datagram(DatagramListener { address: ListenAddress::Unix(path), .. }) => {
                Some(path)
            }
            _ => None,
        }
    }

    /// Returns whether its messages come from this machine.
    fn is_local(&self) -> bool {
        match self {
            SourceDriver::Stream(options) => matches!(options.address, ListenAddress::Unix(_)),
            SourceDriver::Datagram(options) => matches!(options.address, ListenAddress::Unix(_)),
            SourceDriver::Input(_) => false,
            _ => true,
        }
    }
}

fn shown(address: &ListenAddress) -> String {
    match address {
        ListenAddress::Ip(address) => address.to_string(),
        ListenAddress::Unix(path) => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests;
