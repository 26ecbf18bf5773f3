//! The state of assembling: the inputs, the parts compiled so far, the findings.
//!
//! In: a tree, an environment, a report. Out: the parts made so far, which the files of each kind of statement add.
//! Holds: the above, for one configuration. Limits: a part that cannot be made is left out, with an error in the report.

use super::{
    environment::Environment,
    options::{driver::Options, globals::Globals},
    parts::{
        counters::NamedCounters,
        database_file::WatchedDatabase,
        hook::Hook,
        late_bound_outlet::Outlets,
        logspace::{FamilySpec, LogspaceSpec},
        source_draft::SourceDraft,
        table_file::TableFile,
    },
};
use crate::{lanes::LaneThreads, taps::TapPlace};
use config::{
    Diagnostic, Report,
    tree::{Call, Kind, Name, NamedFilter, Object, Statement, Tree, Version},
};
use delivery::DestinationSpec;
use pipeline::{
    Definitions, Parser,
    filter::Anatomy,
    route::{FilterStep, TapPoint},
};
use python::Patience;
use std::{
    collections::{HashMap, HashSet},
    fmt::Display,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};
use template::TagOrder;

/// Longest time in which parsers in Python read messages when a configuration is only tried.
const TRIAL_WITHIN: Duration = Duration::from_secs(600);

/// The state of assembling one configuration. Its methods are in the modules of each kind of statement.
pub(crate) struct Lowering<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) environment: &'t Environment,
    pub(crate) report: &'t mut Report,
    pub(crate) globals: &'t Globals<'t>,
    /// The order of the tags that the configuration names.
    pub(crate) tags: TagOrder,
    pub(crate) definitions: Definitions,
    pub(crate) filter_statements: HashMap<&'t str, &'t NamedFilter>,
    /// Compiled filters; nothing for those with errors.
    pub(crate) filters: HashMap<String, Option<FilterStep>>,
    /// Filters being compiled: one that uses itself stops here.
    pub(crate) filters_open: HashSet<String>,
    pub(crate) objects: HashMap<(Kind, &'t str), &'t Object>,
    /// Objects that are being compiled, outermost first: one that uses itself stops here.
    pub(crate) walking: Vec<&'t Object>,
    /// Objects that were compiled at least once.
    pub(crate) walked_once: HashSet<*const Object>,
    pub(crate) steps_made: usize,
    pub(crate) sources: Vec<SourceDraft>,
    pub(crate) destinations: Vec<DestinationSpec>,
    pub(crate) logspaces: Vec<LogspaceSpec>,
    pub(crate) families: Vec<FamilySpec>,
    pub(crate) outlets: Outlets,
    /// The threads of paths with parsers that wait, and of each `parallelize()`.
    pub(crate) lanes: Vec<Arc<LaneThreads>>,
    pub(crate) tables: Vec<TableFile>,
    /// Folders of queues on disk: each belongs to one destination.
    pub(crate) queue_folders: HashSet<PathBuf>,
    /// Names of transactional producers of Kafka: each belongs to one destination.
    pub(crate) transactional_ids: HashSet<String>,
    /// Sources whose drivers have been made.
    pub(crate) sources_made: HashSet<String>,
    /// Destinations whose drivers have been made, and their outlets.
    pub(crate) destinations_made: HashMap<String, Outlets>,
    pub(crate) anonymous: HashMap<(Kind, String), usize>,
    pub(crate) databases: Vec<WatchedDatabase>,
    /// Number of parsers with the same name for their state.
    pub(crate) state_names: HashMap<String, usize>,
    /// Named filters in their parts, for labels.
    pub(crate) anatomies: HashMap<String, Arc<Anatomy>>,
    /// The points where messages can be watched.
    pub(crate) taps: Vec<TapPlace>,
    /// The commands of drivers.
    pub(crate) hooks: Vec<Hook>,
    /// The counters of parsers, paths and the router; those of filters are with the filters.
    pub(crate) counters: NamedCounters,
    /// The parsers that wait for a process or a server, by their calls: all uses of one share what it waits for.
    pub(crate) waiting_parsers: HashMap<*const Call, Arc<dyn Parser>>,
    /// The end of waiting for the processes of parsers.
    pub(crate) patience: Patience,
}

impl<'t> Lowering<'t> {
    /// Begins with nothing compiled.
    pub(crate) fn new(
        tree: &'t Tree,
        environment: &'t Environment,
        globals: &'t Globals<'t>,
        report: &'t mut Report,
    ) -> Lowering<'t> {
        let version = tree.version.unwrap_or(Version::CURRENT);
        let patience = Patience::default();
        if !environment.waits_for_classes {
            patience.end(TRIAL_WITHIN);
        }
        Lowering {
            tree,
            environment,
            report,
            globals,
            tags: TagOrder::new(tree.mentioned_tags()),
            definitions: Definitions::new(template::Version { major: version.major, minor: version.minor }),
            filter_statements: filter_statements(tree),
            filters: HashMap::new(),
            filters_open: HashSet::new(),
            objects: objects(tree),
            walking: Vec::new(),
            walked_once: HashSet::new(),
            steps_made: 0,
            sources: Vec::new(),
            destinations: Vec::new(),
            logspaces: Vec::new(),
            families: Vec::new(),
            outlets: Vec::new(),
            lanes: Vec::new(),
            tables: Vec::new(),
            queue_folders: HashSet::new(),
            transactional_ids: HashSet::new(),
            sources_made: HashSet::new(),
            destinations_made: HashMap::new(),
            anonymous: HashMap::new(),
            databases: Vec::new(),
            state_names: HashMap::new(),
            anatomies: HashMap::new(),
            taps: Vec::new(),
            hooks: Vec::new(),
            counters: NamedCounters::default(),
            waiting_parsers: HashMap::new(),
            patience,
        }
    }

    /// Warns of options of a driver that have no effect. Options from a block are not mentioned, because the
    /// user may not know them.
    pub(crate) fn unused_options(&mut self, options: &Options<'t>) {
        for option in options.unused() {
            let origin = self.tree.texts.origin(option.name.span.text);
            if !matches!(origin, config::Origin::Expansion { .. }) {
                let (name, driver) = (&option.name.text, &options.call.name.text);
                let message = format!("`{name}()` has no effect: this {driver}() has no use for it");
                self.report.push(Diagnostic::warning(option.name.span, message));
            }
        }
    }

    /// Returns the tap point of a source, path or destination.
    pub(crate) fn tap(&mut self, kind: &'static str, names: Vec<String>) -> Arc<TapPoint> {
        let name = names.first().cloned().unwrap_or_default();
        let point: Arc<TapPoint> = self.environment.reload_state.get(&format!("tap {kind} {name}"));
        if !self.taps.iter().any(|place| Arc::ptr_eq(&place.point, &point)) {
            self.taps.push(TapPlace { kind, names, point: point.clone() });
        }
        point
    }

    /// Reports an error inside a string, at a byte of its value.
    pub(crate) fn report_inside(&mut self, name: &Name, offset: usize, error: String) {
        let span = config::place_inside(&self.tree.texts, name.span, offset);
        self.report.push(Diagnostic::error(span, error));
    }

    /// Reports an error at the position of a name. Returns `None`, for callers that cannot make their part then.
    pub(crate) fn refuse<T>(&mut self, name: &Name, error: impl Display) -> Option<T> {
        self.report.push(Diagnostic::error(name.span, error.to_string()));
        None
    }
}

fn filter_statements(tree: &Tree) -> HashMap<&str, &NamedFilter> {
    let filters = tree.statements.iter().filter_map(|statement| match statement {
        Statement::Filter(named) => Some((named.name.text.as_str(), named)),
        _ => None,
    });
    filters.collect()
}

fn objects(tree: &Tree) -> HashMap<(Kind, &str), &Object> {
    let mut objects = HashMap::new();
    for statement in &tree.statements {
        if let Statement::Object(object) = statement {
            objects.insert((object.kind, object.name.text.as_str()), object);
        }
    }
    objects
}
