//! The order in which a tree becomes parts.
//!
//! In: a tree. Out: [`Parts`]. Holds: nothing between calls.
//! Limits: a part that cannot be made is left out, with an error in the report; the log paths have a limit of steps.

use super::{
    environment::Environment,
    lowering::Lowering,
    options::globals::Globals,
    parts::{
        counters::NamedCounters,
        database_file::WatchedDatabase,
        hook::Hook,
        late_bound_outlet::Outlets,
        logspace::{FamilySpec, LogspaceSpec, ViewSpec},
        page_spec::PageSpec,
        periodic_tasks::PeriodicTasks,
        table_file::TableFile,
    },
    paths::steps::STEPS_MAX,
};
use crate::{lanes::LaneThreads, taps::TapPlace};
use config::{Diagnostic, Report, Span, tree::Tree};
use delivery::DestinationSpec;
use intake::SourceSpec;
use pipeline::{Definitions, Router, route::Plan};
use python::Patience;
use std::{path::PathBuf, sync::Arc};

/// The parts that a configuration consists of when it runs.
pub(crate) struct Parts {
    /// Its sources; they feed the log paths.
    pub(crate) sources: Vec<SourceSpec>,
    /// Its log paths; timers reach them through it.
    pub(crate) router: Arc<Router>,
    /// The files of its pattern databases.
    pub(crate) databases: Vec<WatchedDatabase>,
    /// Its destinations.
    pub(crate) destinations: Vec<DestinationSpec>,
    /// Its logspaces, each name once.
    pub(crate) logspaces: Vec<LogspaceSpec>,
    /// Its logspaces whose name has macros.
    pub(crate) families: Vec<FamilySpec>,
    /// Logspaces that are defined on these.
    pub(crate) views: Vec<ViewSpec>,
    /// The outlets that the log paths end in, one for each destination and logspace, by id. Each gets its queue before
    /// sources start.
    pub(crate) outlets: Outlets,
    /// The threads of paths, and of each `parallelize()`: their jobs must be done before destinations stop.
    pub(crate) lanes: Vec<Arc<LaneThreads>>,
    /// The end of waiting for the processes of parsers: without it, jobs might never be done.
    pub(crate) patience: Patience,
    /// The counters along the log paths.
    pub(crate) counters: NamedCounters,
    /// The tables that log paths use, with their files.
    pub(crate) tables: Vec<TableFile>,
    /// The points where messages can be watched.
    pub(crate) taps: Vec<TapPlace>,
    /// Its named templates and filters.
    pub(crate) definitions: Arc<Definitions>,
    /// Options of the page.
    pub(crate) page: PageSpec,
    /// `rules-dir()`: files of rules; without it the folder `rules` beside the configuration.
    pub(crate) rules_dir: Option<PathBuf>,
    /// The commands of its drivers.
    pub(crate) hooks: Vec<Hook>,
    /// The periodic tasks of the server.
    pub(crate) periodic_tasks: PeriodicTasks,
}

/// Makes the parts of a tree. Returns `None` if the paths cannot be run.
pub(crate) fn lower(tree: &Tree, environment: &Environment, report: &mut Report) -> Option<Parts> {
    let globals = Globals::of(tree);
    let mut lowering = Lowering::new(tree, environment, &globals, report);
    lowering.named_templates();
    lowering.named_filters();
    let page = lowering.page();
    let rules_dir = lowering.rules_dir();
    lowering.refuse_alert_loops();
    let plan = lowering.plan();
    lowering.unused_objects();
    let views = lowering.views();
    lowering.template_databases();
    let parts = lowering.finish(plan, page, views)?;
    Some(Parts { rules_dir, ..parts })
}

impl Lowering<'_> {
    fn finish(self, plan: Plan, page: PageSpec, views: Vec<ViewSpec>) -> Option<Parts> {
        let too_many = self.steps_made > STEPS_MAX;
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
        let sources = self.sources.into_iter().map(|draft| draft.feeding(router.clone())).collect();
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
            families: self.families,
            views,
            outlets: self.outlets,
            lanes: self.lanes,
            patience: self.patience,
            counters: NamedCounters { filters, ..self.counters },
            tables: self.tables,
            taps: self.taps,
            definitions,
            page,
            rules_dir: None,
            hooks: self.hooks,
            periodic_tasks: PeriodicTasks::of(self.globals),
        })
    }
}
