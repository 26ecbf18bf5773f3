//! The running parts and how they change.
//!
//! In: a configuration, and a new one at each reload. Out: sources that feed the router, destinations and logspaces
//! after it.
//! A reload checks everything, opens new parts, and only then switches; listening sockets, connections and queues
//! that the new configuration also has stay open. Holds: the parts.

mod beside;
mod error;
mod families;
mod graph;
mod hooks;
mod identity;
mod machine;
mod opener;
mod scheduler;
mod scopes;
mod shared;
mod tables;

pub(super) use error::{ReloadError, StartError};
pub(super) use families::FamilyStats;
pub(super) use shared::Shared;

use self::beside::DirectoryInUse;
use super::{certificate::PageTls, console::Levels, settings::Settings};
use crate::{
    assemble::{
        self, Environment, FamilySpec, Hook, LogspaceSpec, Parts, Reduced, ReloadState, SealingSpec,
        ViewSpec, WatchedDatabase,
    },
    configuration::check,
    data_folder::dead_letters::DeadStore,
    lanes::LaneThreads,
    terminal,
};
use config::Disk;
use delivery::Destinations;
use families::{Family, Members, Surroundings};
use hooks::Occasion;
use intake::Sources;
use jiff::tz::TimeZone;
use logspace::{Logspace, Retention};
use machine::ThisMachine;
use message::{Outlet, Severity, Stamp};
use opener::Opener;
use pipeline::{Router, correlation::Sink};
use python::Patience;
use scheduler::Scheduler;
use scopes::ScopeTable;
use shared::ConfigInUse;
use std::{
    collections::{HashMap, HashSet},
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    mem,
    path::PathBuf,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};
use tables::Tables;
use template::Site;
use transport::{InternalLog, Registry, tls::Passwords};

/// Ticks between two checks of the certificate of the page.
const CERTIFICATE_TICKS: u64 = 12 * 3600;
/// Longest time in which parsers read the messages that came before a reload, when they hang or their classes cannot be loaded.
const PARSERS_END_WITHIN: Duration = Duration::from_secs(60);
/// Ticks between two checks of the files of pattern databases.
const DATABASE_TICKS: u64 = 5;

/// The running parts.
pub(crate) struct Running {
    config: PathBuf,
    skip_unsupported: bool,
    opener: Opener,
    environment: Environment,
    log: InternalLog,
    sources: Sources,
    lanes: Vec<Arc<LaneThreads>>,
    patience: Patience,
    destinations: Destinations,
    shared: Arc<Shared>,
    tables: Tables,
    router: Option<Arc<Router>>,
    databases: Vec<WatchedDatabase>,
    hooks: Vec<Hook>,
    registry: Registry,
    levels: Levels,
    scheduler: Scheduler,
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
        let shared = Arc::new(Shared::of(settings, site.clone()));
        let environment = Environment {
            site: site.clone(),
            zone: TimeZone::system(),
            rcptid: Arc::new(AtomicU64::new(now.as_microsecond().unsigned_abs())),
            passwords: Passwords::default(),
            data: settings.data.clone(),
            looks_up: true,
            log: log.clone(),
            waits_for_classes: true,
            labels: false,
            reload_state: ReloadState::default(),
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
            opener: Opener::new(settings.data.clone(), log.clone()),
            environment,
            destinations: Destinations::new(registry.clone(), log.clone()),
            tables: Tables::start(log.clone()).map_err(StartError::TablesThread)?,
            log,
            sources,
            lanes: Vec::new(),
            patience: Patience::default(),
            shared,
            router: None,
            databases: Vec::new(),
            hooks: Vec::new(),
            registry,
            levels: settings.levels.clone(),
            scheduler: Scheduler::default(),
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
        let directory =
            DirectoryInUse::load(parts.page.directory.as_ref()).map_err(ReloadError::Directory)?;
        let occasion = if self.router.is_none() { Occasion::Start } else { Occasion::Reload };
        hooks::set_up(&parts.hooks, &self.hooks, occasion).map_err(ReloadError::Hook)?;
        let logspaces = self.open(&parts.logspaces)?;
        let families = self.open_families(parts.families, &logspaces, &parts.views)?;
        let destinations = self.destinations.stage(parts.destinations).map_err(ReloadError::Stage)?;
        let listeners = parts.sources.iter().filter_map(|source| source.driver.network_listener()).collect();
        let sources = self.sources.stage(parts.sources).map_err(ReloadError::Stage)?;
        for (id, late_bound) in &parts.outlets {
            let logspace = logspaces.iter().find(|(spec, _)| spec.id == *id);
            let family = families.iter().find(|family| family.id == *id);
            let outlet: Option<Arc<dyn Outlet>> = match (logspace, family) {
                (Some((_, logspace)), _) => Some(logspace.clone()),
                (None, Some(family)) => Some(family.clone()),
                (None, None) => destinations.outlets().get(id).cloned(),
            };
            let outlet = outlet.ok_or_else(|| ReloadError::NoQueue { id: id.clone() })?;
            late_bound.connect(outlet);
        }
        if let Some(objects) = &self.shared.objects {
            objects.reload(parts.page.objects_dir.as_deref(), &self.log);
        }
        if let Some(rules) = &self.shared.rules {
            rules.follow(parts.rules_dir.as_deref(), &logspaces, &self.log);
        }
        self.shared.directory.take(directory);
        self.shared.page.take(parts.page, page, &self.log);
        // Sources first: their last messages on the old paths are in the queues before a destination ends.
        self.sources.commit(sources);
        mem::replace(&mut self.patience, parts.patience).end(PARSERS_END_WITHIN);
        mem::replace(&mut self.lanes, parts.lanes).iter().for_each(|lanes| lanes.drain());
        self.destinations.commit(destinations);
        let dead_letters = self.dead_letters();
        self.tables.follow(parts.tables);
        self.router = Some(parts.router);
        self.databases = parts.databases;
        if let Some(level) = &parts.periodic_tasks.level {
            // The check accepts only known levels.
            self.levels.set(level);
        }
        self.scheduler.take(parts.periodic_tasks);
        let old_hooks = std::mem::replace(&mut self.hooks, parts.hooks);
        hooks::tear_down(&old_hooks, &self.hooks, Occasion::Reload, &self.log);
        for left_out in &config.left_out {
            self.log.write(Severity::WARNING, &format!("Left out of the configuration; what='{left_out}'"));
        }
        let mut current = self.shared.locked();
        current.scopes = ScopeTable::new(parts.views);
        current.counters = parts.counters;
        current.taps = parts.taps;
        current.dead_letters = dead_letters;
        current.definitions = parts.definitions;
        current.config = config;
        current.listeners = listeners;
        let old = (
            std::mem::replace(&mut current.logspaces, logspaces),
            std::mem::replace(&mut current.families, families),
        );
        drop(current);
        // Logspaces that the configuration no longer has close after the last message in flight.
        drop(old);
        Ok(())
    }

    /// Returns the stores of dead letters of the destinations that run.
    fn dead_letters(&self) -> Vec<DeadStore> {
        let ids = self.destinations.with_dead_letters();
        let store = |id: String| {
            let (letters, outlet) = self.destinations.dead_letters(&id)?;
            Some(DeadStore { id, letters, outlet: Some(outlet) })
        };
        ids.into_iter().filter_map(store).collect()
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
                None => Arc::new(self.opener.open(spec).map_err(ReloadError::Logspace)?),
            };
            logspaces.push((spec.clone(), logspace));
        }
        Ok(logspaces)
    }

    /// Starts the families of a configuration. Their logspaces stay open, or those on disk are opened.
    fn open_families(
        &self,
        specs: Vec<FamilySpec>,
        logspaces: &[(LogspaceSpec, Arc<Logspace>)],
        views: &[ViewSpec],
    ) -> Result<Vec<Arc<Family>>, ReloadError> {
        let mut taken: HashSet<String> = logspaces.iter().map(|(spec, _)| spec.name.clone()).collect();
        taken.extend(views.iter().map(|view| view.name.clone()));
        taken.extend(specs.iter().flat_map(|spec| [spec.overflow.clone(), spec.combined.clone()]));
        let open: HashMap<String, Arc<Members>> = self
            .shared
            .locked()
            .families
            .iter()
            .map(|family| (family.members.template().to_owned(), family.members.clone()))
            .collect();
        let mut families = Vec::new();
        for spec in specs {
            let members = match open.get(&spec.base.name) {
                Some(members) => {
                    members.follow(&spec.base)?;
                    members.clone()
                }
                None => Arc::new(Members::open(self.opener.clone(), spec.base.clone())?),
            };
            let surroundings = Surroundings { taken: taken.clone(), log: self.log.clone() };
            let family = Family::start(spec, members, surroundings).map_err(ReloadError::FamilyThread)?;
            families.push(Arc::new(family));
        }
        Ok(families)
    }

    /// Passes the time to the log paths, and checks every few ticks whether pattern databases have changed.
    pub(crate) fn tick(&mut self) {
        self.ticks += 1;
        let now = self.now();
        self.scheduler.tick(&self.registry, &self.log, now);
        if self.ticks.is_multiple_of(CERTIFICATE_TICKS) {
            self.shared.page.watch(&self.log);
        }
        if self.ticks.is_multiple_of(DATABASE_TICKS) {
            self.databases.iter_mut().for_each(|database| database.refresh(&self.log));
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
        self.patience.end(drain);
        self.sources.stop(drain);
        self.lanes.iter().for_each(|lanes| lanes.drain());
        if let Some(router) = &self.router {
            router.close(self.now());
        }
        // The end of input also went to the threads of paths.
        self.lanes.iter().for_each(|lanes| lanes.drain());
        self.destinations.stop(drain);
        if let Some(rules) = &self.shared.rules {
            // Its threads have the logspaces open.
            rules.stop();
        }
        let current = std::mem::take(&mut *self.shared.locked());
        drop(current);
        self.sources.save_positions();
        hooks::tear_down(&self.hooks, &[], Occasion::Stop, &self.log);
    }
}
