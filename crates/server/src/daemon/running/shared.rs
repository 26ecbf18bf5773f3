//! The state of the running parts that other threads may read.
//!
//! In: the parts of a configuration, when it comes into use. Out: copies and handles of the current state.
//! Holds: the last published state, under a lock that is held only for copying.

use super::{
    super::{certificate::PageTls, settings::Settings},
    beside::{DirectoryInUse, Rules, SavedObjects},
    families::{Family, FamilyStats},
    scopes::{Local, ScopeTable},
};
use crate::{
    assemble::{LogspaceSpec, NamedCounters},
    data_folder::dead_letters::DeadStore,
    taps::TapPlace,
};
use alerts::Watcher;
use api::Scope;
use logspace::Logspace;
use objects::Store;
use pipeline::{Definitions, parser::Probes};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use template::Site;

/// The state that other threads may read while the loop works.
pub(crate) struct Shared {
    pub(super) site: Arc<Site>,
    /// The counters of metrics-probe().
    pub(in crate::daemon) probes: Arc<Probes>,
    pub(super) page: PageTls,
    pub(super) directory: DirectoryInUse,
    /// Saved objects, when there is a page.
    pub(super) objects: Option<SavedObjects>,
    /// Rules that watch logspaces; none before any configuration.
    pub(super) rules: Option<Rules>,
    pub(super) state: Mutex<Current>,
}

/// The state that changes with a configuration.
#[derive(Default)]
pub(super) struct Current {
    pub(super) logspaces: Vec<(LogspaceSpec, Arc<Logspace>)>,
    /// The logspaces of names with macros.
    pub(super) families: Vec<Arc<Family>>,
    /// These and the logspaces defined on them, in the form for searches.
    pub(super) scopes: ScopeTable,
    pub(super) counters: NamedCounters,
    pub(super) taps: Vec<TapPlace>,
    pub(super) dead_letters: Vec<DeadStore>,
    pub(super) definitions: Arc<Definitions>,
    pub(super) config: ConfigInUse,
    /// The addresses on which the sources wait for syslog, each with its protocol.
    pub(super) listeners: Vec<(&'static str, SocketAddr)>,
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

#[cfg(test)]
impl Shared {
    /// The state before any configuration.
    pub(in crate::daemon) fn empty() -> Arc<Shared> {
        let state = Mutex::default();
        Arc::new(Shared {
            site: Arc::default(),
            probes: Arc::default(),
            page: PageTls::default(),
            directory: DirectoryInUse::default(),
            objects: None,
            rules: None,
            state,
        })
    }
}

impl Shared {
    /// The state before the first configuration of a server with these settings.
    pub(super) fn of(settings: &Settings, site: Arc<Site>) -> Shared {
        let objects = SavedObjects::open(settings);
        let rules = Rules::new(settings, objects.as_ref().map(SavedObjects::store));
        Shared {
            site,
            probes: Arc::default(),
            page: PageTls::default(),
            directory: DirectoryInUse::default(),
            objects,
            rules: Some(rules),
            state: Mutex::default(),
        }
    }

    pub(super) fn locked(&self) -> MutexGuard<'_, Current> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the addresses on which the sources wait for syslog, with the protocol.
    pub(crate) fn listeners(&self) -> Vec<(&'static str, SocketAddr)> {
        self.locked().listeners.clone()
    }

    /// Returns the directory of people who may use the page.
    pub(crate) fn directory(&self) -> &DirectoryInUse {
        &self.directory
    }

    /// Returns the TLS settings of the page.
    pub(crate) fn page(&self) -> &PageTls {
        &self.page
    }

    /// Returns the saved objects; none without a page.
    pub(crate) fn objects(&self) -> Option<&Arc<Store>> {
        self.objects.as_ref().map(SavedObjects::store)
    }

    /// Returns the threads that evaluate rules.
    pub(crate) fn watcher(&self) -> Option<&Watcher> {
        self.rules.as_ref().map(Rules::watcher)
    }

    /// Returns what is wrong with rules and notifications, one sentence each.
    pub(crate) fn rule_troubles(&self) -> Vec<String> {
        self.rules.as_ref().map(Rules::troubles).unwrap_or_default()
    }

    /// Returns why saved rules that are switched on do not run, by their ids.
    pub(crate) fn stopped_rules(&self) -> BTreeMap<String, String> {
        self.rules.as_ref().map(Rules::stopped).unwrap_or_default()
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

    /// Returns the stores of dead letters, by the id of their destination.
    pub(crate) fn dead_letters(&self) -> Vec<DeadStore> {
        self.locked().dead_letters.clone()
    }

    /// Returns the open logspaces in the order of the configuration.
    pub(crate) fn logspaces(&self) -> Vec<(String, Arc<Logspace>)> {
        self.logspaces_by_id().into_iter().map(|(_, name, logspace)| (name, logspace)).collect()
    }

    /// Returns all logspaces, in the form in which they are searched.
    pub(crate) fn scopes(&self) -> Vec<Arc<Scope>> {
        let mut current = self.locked();
        let Current { logspaces, families, scopes, .. } = &mut *current;
        scopes.scopes(Local { logspaces, families })
    }

    /// Returns the open logspaces with the ids of their destinations.
    pub(crate) fn logspaces_by_id(&self) -> Vec<(String, String, Arc<Logspace>)> {
        let current = self.locked();
        let named = |spec: &LogspaceSpec, logspace: &Arc<Logspace>| {
            (spec.id.clone(), spec.name.clone(), logspace.clone())
        };
        let plain = current.logspaces.iter().map(|(spec, logspace)| named(spec, logspace));
        let of_families = current.families.iter().flat_map(|family| family.members.list());
        plain.chain(of_families.map(|member| named(&member.spec, &member.logspace))).collect()
    }

    /// Returns the counters of names with macros, besides those of their logspaces: the id of the destination, the name.
    pub(crate) fn families(&self) -> Vec<(String, String, FamilyStats)> {
        let current = self.locked();
        let stats = |family: &Arc<Family>| {
            let members = &family.members;
            (family.id.clone(), members.template().to_owned(), members.stats())
        };
        current.families.iter().map(stats).collect()
    }

    /// Returns the counters along the log paths.
    pub(crate) fn counters(&self) -> NamedCounters {
        self.locked().counters.clone()
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
        let objects = self.objects().map(|store| store.troubles()).unwrap_or_default();
        let rules = self.rule_troubles();
        troubles.chain(self.config().left_out).chain(objects).chain(rules).collect()
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
        let overflows = self.families().into_iter().filter_map(|(_, name, stats)| {
            let FamilyStats { overflowed, logspaces, .. } = stats;
            (overflowed > 0).then(|| {
                format!(
                    "logspace {name}: {overflowed} messages went to its overflow: their names got none of its {logspaces} logspaces"
                )
            })
        });
        notes.chain(overflows).collect()
    }
}
