//! The order in which a tree becomes parts.
//!
//! In: a tree. Out: [`Parts`]. Holds: the parts compiled so far.
//! Limits: a part that cannot be made is left out, with an error in the report.

use crate::assemble::options::globals::Globals;
use crate::assemble::paths::steps::Outlets;
use crate::assemble::paths::taps::Tapped;
use crate::assemble::sources::drivers::SourceDraft;
use crate::assemble::{
    Chores, Environment, Hook, LogspaceSpec, PageSpec, Parts, TableFile, Tallies, ViewSpec, WatchedDatabase,
};
use crate::{lanes::LaneThreads, taps::TapPlace};
use config::tree::{Kind, NamedFilter, Object, Statement, Tree, Version};
use config::{Diagnostic, Report, Span};
use delivery::DestinationSpec;
use pipeline::{
    Definitions, Router,
    filter::Anatomy,
    route::{FilterStep, Plan},
};
use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
};
use template::TagOrder;

/// The state of the compilation.
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
    /// Objects being walked through, and those that were: one that uses itself stops here.
    pub(crate) walking: Vec<&'t Object>,
    pub(crate) walked_once: HashSet<*const Object>,
    pub(crate) steps_made: usize,
    pub(crate) sources: Vec<SourceDraft>,
    pub(crate) destinations: Vec<DestinationSpec>,
    pub(crate) logspaces: Vec<LogspaceSpec>,
    pub(crate) outlets: Outlets,
    /// The threads of each `parallelize()`.
    pub(crate) lanes: Vec<Arc<LaneThreads>>,
    pub(crate) tables: Vec<TableFile>,
    /// Folders of queues on disk: each belongs to one destination.
    pub(crate) queue_folders: HashSet<PathBuf>,
    /// Sources whose drivers have been made.
    pub(crate) sources_made: HashSet<String>,
    /// Destinations whose drivers have been made, and their ends.
    pub(crate) destinations_made: HashMap<String, Outlets>,
    pub(crate) anonymous: HashMap<(Kind, String), usize>,
    pub(crate) databases: Vec<WatchedDatabase>,
    /// Number of parsers that keep state under a name.
    pub(crate) kept_names: HashMap<String, usize>,
    /// Named filters in their parts, for labels.
    pub(crate) anatomies: HashMap<String, Arc<Anatomy>>,
    /// The places where messages can be looked at.
    pub(crate) taps: Vec<TapPlace>,
    /// The commands of drivers.
    pub(crate) hooks: Vec<Hook>,
    /// The counters of parsers, paths and the router; those of filters are kept with the filters.
    pub(crate) tallies: Tallies,
}

/// Makes the parts of a tree. None if the paths cannot be run.
pub(crate) fn lower(tree: &Tree, environment: &Environment, report: &mut Report) -> Option<Parts> {
    let globals = Globals::of(tree);
    let version = tree.version.unwrap_or(Version::CURRENT);
    let mut lowering = Lowering {
        tree,
        environment,
        report,
        globals: &globals,
        tags: TagOrder::new(tree.mentioned_tags()),
        definitions: Definitions::new(template::Version { major: version.major, minor: version.minor }),
        filter_statements: filters(tree),
        filters: HashMap::new(),
        filters_open: HashSet::new(),
        objects: objects(tree),
        walking: Vec::new(),
        walked_once: HashSet::new(),
        steps_made: 0,
        sources: Vec::new(),
        destinations: Vec::new(),
        logspaces: Vec::new(),
        outlets: Vec::new(),
        lanes: Vec::new(),
        tables: Vec::new(),
        queue_folders: HashSet::new(),
        sources_made: HashSet::new(),
        destinations_made: HashMap::new(),
        anonymous: HashMap::new(),
        databases: Vec::new(),
        kept_names: HashMap::new(),
        anatomies: HashMap::new(),
        taps: Vec::new(),
        hooks: Vec::new(),
        tallies: Tallies::default(),
    };
    lowering.named_templates();
    lowering.named_filters();
    let page = lowering.page();
    let plan = lowering.plan();
    lowering.unused_objects();
    let views = lowering.views();
    lowering.template_databases();
    lowering.finish(plan, page, views)
}

impl Lowering<'_> {
    fn finish(self, plan: Plan, page: PageSpec, views: Vec<ViewSpec>) -> Option<Parts> {
        let too_many = self.steps_made > crate::assemble::paths::steps::STEPS_MAX;
        let router = match Router::new(plan) {
            Ok(router) if !too_many => Arc::new(router),
            Ok(_) => {
                let message = "the log paths have too many steps once named objects are put in";
                self.report.push(Diagnostic::error(Span::default(), message));
                return None;
            }
            Err(error) => {
                self.report.push(Diagnostic::error(Span::default(), error.to_string()));
                return None;
            }
        };
        let sources = self.sources.into_iter().map(|draft| {
            let intake = Arc::new(Tapped { point: draft.tap.clone(), router: router.clone() });
            draft.feeding(intake)
        });
        let sources = sources.collect();
        let definitions = Arc::new(self.definitions);
        let databases =
            self.databases.into_iter().map(|database| database.with(definitions.clone())).collect();
        let mut filters: Vec<_> =
            self.filters.into_iter().filter_map(|(name, step)| Some((name, step?.counters))).collect();
        filters.sort_by(|a, b| a.0.cmp(&b.0));
        Some(Parts {
            sources,
            router,
            databases,
            destinations: self.destinations,
            logspaces: self.logspaces,
            views,
            outlets: self.outlets,
            lanes: self.lanes,
            tallies: Tallies { filters, ..self.tallies },
            tables: self.tables,
            taps: self.taps,
            definitions,
            page,
            hooks: self.hooks,
            chores: Chores::of(self.globals),
        })
    }
}

fn filters(tree: &Tree) -> HashMap<&str, &NamedFilter> {
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
