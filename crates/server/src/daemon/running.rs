//! The running parts and how they change.
//!
//! In: a configuration, again at each reload. Out: sources that feed the router, destinations and logspaces behind it.
//! A reload checks everything, opens what is new, and only then changes over; listening sockets, connections and queues
//! that the new configuration also has live on. Holds: the parts.

mod chores;
mod graph;
mod hooks;
mod identity;
mod machine;
mod scopes;
mod sealing;
mod tables;

use super::{Levels, Settings, certificate::PageTls};
use crate::{
    assemble::{
        self, Environment, Hook, Kept, LogspaceSpec, NamedCounters, Parts, Reduced, SealingSpec,
        WatchedDatabase,
    },
    configuration::check,
    data_folder::logspace::LEDGER,
    lanes::LaneThreads,
    taps::TapPlace,
    terminal,
};
use api::Scope;
use chores::Clockwork;
use config::Disk;
use delivery::Destinations;
use evidence::Ledger;
use hooks::{HookError, Occasion};
use intake::Sources;
use jiff::tz::TimeZone;
use logspace::{Logspace, Notice, Notices, OpenLogspaceError, Retention};
use machine::ThisMachine;
use message::{Outlet, Severity, Stamp};
use pipeline::{Definitions, Router, correlation::Sink, parser::Probes};
use sealing::SealingError;
use std::{
    collections::HashMap,
    env, fmt, fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicU64},
    time::Duration,
};
use tables::Tables;
use template::Site;
use transport::{
    InternalLog, Registry, StageError,
    tls::{Passwords, TlsError},
};

/// Ticks between two checks of the certificate of the page.
const CERTIFICATE_TICKS: u64 = 12 * 3600;
/// Ticks between two checks of the files of pattern databases.
const DATABASE_TICKS: u64 = 5;

/// The state that other threads may read while the loop works.
pub(crate) struct Shared {
    site: Arc<Site>,
    /// The counters of metrics-probe().
    pub(super) probes: Arc<Probes>,
    page: PageTls,
    state: Mutex<Current>,
}

#[derive(Default)]
struct Current {
    logspaces: Vec<(LogspaceSpec, Arc<Logspace>)>,
    /// These and the logspaces made of them, in the form in which they are searched.
    scopes: Vec<Arc<Scope>>,
    tallies: NamedCounters,
    taps: Vec<TapPlace>,
    definitions: Arc<Definitions>,
    config: ConfigInUse,
}

/// The configuration in use, as it was read.
#[derive(Clone, Default)]
pub(crate) struct ConfigInUse {
    /// An identifier that changes with its text.
    pub(crate) id: String,
    /// Its file.
    pub(crate) original: String,
    /// Its text, with includes and blocks expanded.
    pub(crate) preprocessed: String,
    /// The files that it was read from.
    pub(crate) files: Vec<String>,
    /// The graph of sources, paths and destinations, as JSON.
    pub(crate) graph: String,
    /// The parts that do not run, with `--skip-unsupported`: one sentence each.
    pub(crate) left_out: Vec<String>,
}

/// The reasons why a configuration is not used; the one before stays in use.
#[derive(Debug)]
pub(crate) enum ReloadError {
    /// It has errors: the findings, as a text of several lines.
    Findings(String),
    /// The certificate or the key of the page cannot be used.
    Page(TlsError),
    /// A command of `hook-commands()` failed.
    Hook(HookError),
    /// The options of a logspace cannot be used.
    Sealing { logspace: String, source: SealingError },
    /// An open logspace would have to be sealed in another way.
    SealingChanged { logspace: String },
    /// A logspace cannot be opened.
    Logspace(OpenLogspaceError),
    /// A source or a destination cannot be started.
    Stage(StageError),
    /// A destination has no queue, which the check should have found.
    NoQueue { id: String },
}

impl fmt::Display for ReloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReloadError::Findings(text) => f.write_str(text.strip_suffix('\n').unwrap_or(text)),
            ReloadError::Page(error) => write!(f, "the page: {error}"),
            ReloadError::Hook(error) => error.fmt(f),
            ReloadError::Sealing { logspace, source } => write!(f, "logspace {logspace}: {source}"),
            ReloadError::SealingChanged { logspace } => {
                write!(f, "how logspace {logspace} is sealed was changed: restart the server to use it")
            }
            ReloadError::Logspace(error) => error.fmt(f),
            ReloadError::Stage(error) => error.fmt(f),
            ReloadError::NoQueue { id } => write!(f, "destination {id} has no queue: this is a bug"),
        }
    }
}

impl std::error::Error for ReloadError {}

/// The reasons why the parts are not started.
#[derive(Debug)]
pub(crate) enum StartError {
    /// The identity cannot be written to the data folder.
    Identity { data: PathBuf, source: io::Error },
    /// The system gives no thread for the names of addresses.
    NamesThread(io::Error),
    /// The system gives no threads for sources.
    Sources(StageError),
    /// The system gives no thread for tables.
    TablesThread(io::Error),
    /// The configuration cannot be used.
    Configuration(ReloadError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Identity { data, source } => {
                write!(f, "cannot write to {}: {source}", data.display())
            }
            StartError::NamesThread(error) => write!(f, "cannot start the thread of names: {error}"),
            StartError::Sources(error) => error.fmt(f),
            StartError::TablesThread(error) => write!(f, "cannot start a thread: {error}"),
            StartError::Configuration(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

/// The running parts.
pub(crate) struct Running {
    config: PathBuf,
    skip_unsupported: bool,
    data: PathBuf,
    environment: Environment,
    log: InternalLog,
    sources: Sources,
    lanes: Vec<Arc<LaneThreads>>,
    destinations: Destinations,
    shared: Arc<Shared>,
    tables: Tables,
    router: Option<Arc<Router>>,
    databases: Vec<WatchedDatabase>,
    hooks: Vec<Hook>,
    registry: Registry,
    levels: Levels,
    clockwork: Clockwork,
    ticks: u64,
}

impl Running {
    /// Reads the configuration and starts everything; nothing is started when it has an error. All listeners
    /// together take at most `senders` connections.
    pub(crate) fn start(
        settings: &Settings,
        registry: Registry,
        log: InternalLog,
        senders: usize,
    ) -> Result<Running, StartError> {
        let identity = identity::start(&settings.data)
            .map_err(|source| StartError::Identity { data: settings.data.clone(), source })?;
        let now = jiff::Timestamp::now();
        let machine = ThisMachine::start().map_err(StartError::NamesThread)?;
        let site = Arc::new(Site {
            loghost: assemble::machine_name(),
            host_id: identity.host_id,
            run_id: identity.run_id,
            started_us: now.as_microsecond(),
            environment: env::vars().collect(),
            zone: Some(TimeZone::system()),
            machine: Some(Arc::new(machine)),
        });
        let shared = Arc::new(Shared {
            site: site.clone(),
            probes: Arc::default(),
            page: PageTls::default(),
            state: Mutex::default(),
        });
        let environment = Environment {
            site: site.clone(),
            zone: TimeZone::system(),
            rcptid: Arc::new(AtomicU64::new(now.as_microsecond().unsigned_abs())),
            passwords: Passwords::default(),
            data: settings.data.clone(),
            looks_up: true,
            labels: false,
            kept: Kept::default(),
            probes: shared.probes.clone(),
            inject: Sink(Arc::new({
                let log = log.clone();
                move |batch| log.inject(batch)
            })),
        };
        let (threads, positions) = (settings.worker_threads.unwrap_or(0), Some(&*settings.positions));
        let sources =
            Sources::start(registry.clone(), log.clone(), threads, positions).map_err(StartError::Sources)?;
        sources.limit_connections(senders);
        let mut running = Running {
            config: settings.config.clone(),
            skip_unsupported: settings.skip_unsupported,
            data: settings.data.clone(),
            environment,
            destinations: Destinations::new(registry.clone(), log.clone()),
            tables: Tables::start(log.clone()).map_err(StartError::TablesThread)?,
            log,
            sources,
            lanes: Vec::new(),
            shared,
            router: None,
            databases: Vec::new(),
            hooks: Vec::new(),
            registry,
            levels: settings.levels.clone(),
            clockwork: Clockwork::default(),
            ticks: 0,
        };
        running.reload().map_err(StartError::Configuration)?;
        Ok(running)
    }

    /// Returns the passwords of private keys.
    pub(crate) fn passwords(&self) -> Passwords {
        self.environment.passwords.clone()
    }

    /// Returns the state that other threads may read.
    pub(crate) fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }

    /// Changes over to the configuration as it is now. On an error nothing has changed.
    pub(crate) fn reload(&mut self) -> Result<(), ReloadError> {
        let (parts, config) = self.read()?;
        let page = PageTls::load(&parts.page).map_err(ReloadError::Page)?;
        let occasion = if self.router.is_none() { Occasion::Start } else { Occasion::Reload };
        hooks::set_up(&parts.hooks, &self.hooks, occasion).map_err(ReloadError::Hook)?;
        let logspaces = self.open(&parts.logspaces)?;
        let destinations = self.destinations.stage(parts.destinations).map_err(ReloadError::Stage)?;
        let sources = self.sources.stage(parts.sources).map_err(ReloadError::Stage)?;
        for (id, late_bound) in &parts.outlets {
            let logspace = logspaces.iter().find(|(spec, _)| spec.id == *id);
            let outlet: Option<Arc<dyn Outlet>> = match logspace {
                Some((_, logspace)) => Some(logspace.clone()),
                None => destinations.outlets().get(id).cloned(),
            };
            let outlet = outlet.ok_or_else(|| ReloadError::NoQueue { id: id.clone() })?;
            late_bound.connect(outlet);
        }
        self.shared.page.take(parts.page, page, &self.log);
        // Sources first: their last messages on the old paths are in the queues before a destination ends.
        self.sources.commit(sources);
        std::mem::replace(&mut self.lanes, parts.lanes).iter().for_each(|lanes| lanes.drain());
        self.destinations.commit(destinations);
        self.tables.follow(parts.tables);
        self.router = Some(parts.router);
        self.databases = parts.databases;
        if let Some(level) = &parts.chores.level {
            // The check accepts only known levels.
            self.levels.set(level);
        }
        self.clockwork.take(parts.chores);
        let old_hooks = std::mem::replace(&mut self.hooks, parts.hooks);
        hooks::tear_down(&old_hooks, &self.hooks, Occasion::Reload, &self.log);
        for left_out in &config.left_out {
            self.log.write(Severity::WARNING, &format!("Left out of the configuration; what='{left_out}'"));
        }
        let scopes = scopes::scopes(&logspaces, &parts.views);
        let mut current = self.shared.locked();
        current.scopes = scopes;
        current.tallies = parts.tallies;
        current.taps = parts.taps;
        current.definitions = parts.definitions;
        current.config = config;
        let old = std::mem::replace(&mut current.logspaces, logspaces);
        drop(current);
        // Logspaces that the configuration no longer has close after the last message on its way.
        drop(old);
        Ok(())
    }

    /// Reads and checks the configuration.
    fn read(&self) -> Result<(Parts, ConfigInUse), ReloadError> {
        let (mut checked, preprocessed, left_out) = match self.skip_unsupported {
            true => {
                let Reduced { checked, preprocessed, left_out } =
                    assemble::check_skipping(&self.config, &Disk::default());
                (checked, preprocessed, left_out)
            }
            false => {
                let (checked, preprocessed) = assemble::check_preprocessed(&self.config, &Disk::default());
                (checked, preprocessed, Vec::new())
            }
        };
        let parts = match checked.report.is_usable() {
            true => assemble::build(&checked.tree, &self.environment, &mut checked.report),
            false => None,
        };
        let findings = check::rendered(&checked);
        let Some(parts) = parts else { return Err(ReloadError::Findings(findings)) };
        terminal::complain_styled(&findings);
        let text = fs::read(&self.config).unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let config = ConfigInUse {
            id: format!("{:016x}", hasher.finish()),
            original: String::from_utf8_lossy(&text).into_owned(),
            preprocessed,
            files: checked.texts().files().into_iter().map(str::to_owned).collect(),
            graph: graph::of(&checked.tree),
            left_out: left_out.iter().map(ToString::to_string).collect(),
        };
        Ok((parts, config))
    }

    /// Opens the logspaces of a configuration: those that are open already, and new ones.
    fn open(&self, specs: &[LogspaceSpec]) -> Result<Vec<(LogspaceSpec, Arc<Logspace>)>, ReloadError> {
        let open: HashMap<String, (SealingSpec, Arc<Logspace>)> = self
            .shared
            .locked()
            .logspaces
            .iter()
            .map(|(spec, space)| (spec.name.clone(), (spec.sealing.clone(), space.clone())))
            .collect();
        let mut logspaces = Vec::new();
        for spec in specs {
            let logspace = match open.get(&spec.name) {
                Some((sealing, logspace)) if *sealing == spec.sealing => {
                    logspace.set_retention(Retention {
                        age: spec.retention_age,
                        bytes: spec.retention_bytes,
                        hold: spec.legal_hold,
                    });
                    logspace.clone()
                }
                Some(_) => {
                    return Err(ReloadError::SealingChanged { logspace: spec.name.clone() });
                }
                None => Arc::new(self.open_one(spec)?),
            };
            logspaces.push((spec.clone(), logspace));
        }
        Ok(logspaces)
    }

    fn open_one(&self, spec: &LogspaceSpec) -> Result<Logspace, ReloadError> {
        let unusable = |source| ReloadError::Sealing { logspace: spec.name.clone(), source };
        let mut options = sealing::options(spec).map_err(unusable)?;
        options.ledger = Some(Ledger::at(&self.data.join(LEDGER)));
        let folder = self.data.join("logspaces").join(&spec.name);
        let notices = Arc::new(Reports { log: self.log.clone(), name: spec.name.clone() });
        Logspace::open(&folder, options, notices).map_err(ReloadError::Logspace)
    }

    /// Passes the time to the log paths, and checks every few ticks whether pattern databases have changed.
    pub(crate) fn tick(&mut self) {
        self.ticks += 1;
        let now = self.now();
        self.clockwork.tick(&self.registry, &self.log, now);
        if self.ticks.is_multiple_of(CERTIFICATE_TICKS) {
            self.shared.page.watch(&self.log);
        }
        if self.ticks.is_multiple_of(DATABASE_TICKS) {
            self.databases.iter_mut().for_each(|database| database.look(&self.log));
        }
        if let Some(router) = &self.router {
            router.tick(self.now());
        }
    }

    fn now(&self) -> Stamp {
        let now = jiff::Timestamp::now();
        Stamp::known(now.as_microsecond(), self.environment.zone.to_offset(now).seconds())
    }

    /// Reopens output files.
    pub(crate) fn reopen(&self) {
        self.destinations.reopen();
    }

    /// Stops reading, writes the queues for at most `drain`, and closes everything in the order of the walk.
    pub(crate) fn stop(mut self, drain: Duration) {
        self.sources.stop(drain);
        self.lanes.iter().for_each(|lanes| lanes.drain());
        if let Some(router) = &self.router {
            router.close(self.now());
        }
        self.destinations.stop(drain);
        let current = std::mem::take(&mut *self.shared.locked());
        drop(current);
        self.sources.save_positions();
        hooks::tear_down(&self.hooks, &[], Occasion::Stop, &self.log);
    }
}

impl Shared {
    fn locked(&self) -> MutexGuard<'_, Current> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the TLS settings of the page.
    pub(crate) fn page(&self) -> &PageTls {
        &self.page
    }

    /// Returns the facts about this machine for macros.
    pub(crate) fn site(&self) -> &Arc<Site> {
        &self.site
    }

    /// Returns the tap points, and the names that filters and templates may use.
    pub(crate) fn taps(&self) -> (Vec<TapPlace>, Arc<Definitions>) {
        let current = self.locked();
        (current.taps.clone(), current.definitions.clone())
    }

    /// Returns the open logspaces in the order of the configuration.
    pub(crate) fn logspaces(&self) -> Vec<(String, Arc<Logspace>)> {
        self.locked().logspaces.iter().map(|(spec, logspace)| (spec.name.clone(), logspace.clone())).collect()
    }

    /// Returns all logspaces, in the form in which they are searched.
    pub(crate) fn scopes(&self) -> Vec<Arc<Scope>> {
        self.locked().scopes.clone()
    }

    /// Returns the open logspaces with the ids of their destinations.
    pub(crate) fn logspaces_by_id(&self) -> Vec<(String, String, Arc<Logspace>)> {
        let current = self.locked();
        let named = |(spec, logspace): &(LogspaceSpec, Arc<Logspace>)| {
            (spec.id.clone(), spec.name.clone(), logspace.clone())
        };
        current.logspaces.iter().map(named).collect()
    }

    /// Returns the counters along the log paths.
    pub(crate) fn tallies(&self) -> NamedCounters {
        self.locked().tallies.clone()
    }

    /// Returns the configuration in use.
    pub(crate) fn config(&self) -> ConfigInUse {
        self.locked().config.clone()
    }

    /// Returns the present problems, one sentence each.
    pub(crate) fn troubles(&self) -> Vec<String> {
        let troubles = self.logspaces().into_iter().filter_map(|(name, logspace)| {
            let stats = logspace.stats();
            let starting = (stats.starting_messages > 0).then(|| {
                format!("starting: {} messages are read back from the journal", stats.starting_messages)
            });
            stats.last_error.or(starting).map(|error| format!("logspace {name}: {error}"))
        });
        troubles.chain(self.config().left_out).collect()
    }

    /// Lists remarks for the health check that are no problems, one sentence each.
    pub(crate) fn notes(&self) -> Vec<String> {
        let notes = self.logspaces().into_iter().filter_map(|(name, logspace)| {
            let count = logspace.stats().values_without_column;
            (count > 0).then(|| {
                format!(
                    "logspace {name}: its newest segments have too many different names of fields: {count} values share one column and are found more slowly"
                )
            })
        });
        notes.collect()
    }
}

/// Writes a logspace's notices to the server's own log.
struct Reports {
    log: InternalLog,
    name: String,
}

impl Notices for Reports {
    fn notice(&self, notice: Notice) {
        let severity = match &notice {
            Notice::Sealed { .. }
            | Notice::Stamped { .. }
            | Notice::Removed { .. }
            | Notice::Moved { .. }
            | Notice::ClockRight { .. }
            | Notice::JournalResumed => Severity::INFORMATIONAL,
            Notice::NamesCapped { .. } | Notice::ClockJumped { .. } => Severity::WARNING,
            Notice::Lost { .. } => Severity::CRITICAL,
            Notice::TailCut { .. } | Notice::CatalogRebuilt => Severity::NOTICE,
            _ => Severity::ERROR,
        };
        self.log.write(severity, &format!("Logspace notice; logspace='{}', notice='{notice}'", self.name));
    }
}
