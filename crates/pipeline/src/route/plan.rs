//! The paths of a configuration, in the form for the router.
//!
//! In: the paths of a configuration. Out: the tree of paths. Holds: filters, parsers and rewrites, compiled. The rest
//! of a path after `parallelize()` is a router of its own: the types hold one another.
//! Limits: [`DEPTH_MAX`] levels.

use super::{
    counters::{FilterCounters, PathCounters, RouterCounters},
    lanes::{Lanes, PathThread},
    tap::TapPoint,
    tracer::Label,
};
use crate::{filter::Filter, parser::Parser, rewrite::Rewrite};
use message::Outlet;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, atomic::AtomicUsize},
};
use template::{RenderOptions, Site, Template};

/// Deepest nesting of paths, junctions and channels.
pub const DEPTH_MAX: usize = 64;

/// All log paths, in the order of the configuration.
#[derive(Debug, Default)]
pub struct Plan {
    /// The top-level paths.
    pub paths: Vec<Path>,
    /// Options of templates in filters and rewrites.
    pub options: RenderOptions,
    /// The facts about this machine that macros show.
    pub site: Arc<Site>,
    /// Counters of what no path takes, shared with the statistics.
    pub counters: Arc<RouterCounters>,
}

/// `log { ... }`.
#[derive(Debug, Default)]
pub struct Path {
    /// `log NAME { ... }`.
    pub name: Option<String>,
    /// Names of the sources (`Origin::source`) whose messages enter here.
    pub sources: Vec<String>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// `flags(...)`.
    pub flags: StepFlags,
    /// Its counters, shared with the statistics.
    pub counters: Arc<PathCounters>,
    /// Its name, for a tracer.
    pub label: Option<Box<Label>>,
    /// The point at which messages that enter can be observed.
    pub tap: Option<Arc<TapPoint>>,
    /// The thread of a top-level path with a parser that [waits](Parser::waits).
    pub thread: Option<PathThread>,
}

/// `flags(...)` of a path, an embedded path or a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StepFlags {
    /// Messages that matched here do not go further in the list.
    pub last: bool,
    /// Only messages that no path without this flag took enter here.
    pub fallback: bool,
    /// Every source enters here.
    pub catchall: bool,
    /// Destinations may not drop. `Some(false)` is `no-flow-control`; `None` takes the setting of the path around it.
    pub flow_control: Option<bool>,
    /// Messages that a step stops count as taken: no other path gets them.
    pub drop_unmatched: bool,
}

/// One step of a path.
pub enum Step {
    /// Keeps the messages that the filter selects.
    Filter(FilterStep),
    /// Changes messages.
    Rewrite(Arc<Rewrite>),
    /// Extracts values from messages; messages that it cannot read are stopped.
    Parser(Arc<dyn Parser>),
    /// Every channel gets the messages; the messages that leave the channels continue.
    Junction(Vec<Channel>),
    /// Embedded paths: messages that enter them do not return.
    Embedded(Vec<Path>),
    /// Passes the messages to a destination; they also continue along the path.
    Outlet(OutletStep),
    /// The rest of the path runs on other threads. No step follows it.
    Parallel(Parallel),
    /// Names the next step, and does nothing. Only traced paths have it.
    Label(Box<Label>),
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Filter(step) => f.debug_tuple("Filter").field(&step.filter).finish(),
            Step::Rewrite(rewrite) => f.debug_tuple("Rewrite").field(rewrite).finish(),
            Step::Parser(_) => f.write_str("Parser"),
            Step::Junction(channels) => f.debug_tuple("Junction").field(channels).finish(),
            Step::Embedded(paths) => f.debug_tuple("Embedded").field(paths).finish(),
            Step::Outlet(step) => f.debug_tuple("Outlet").field(&step.name).finish(),
            Step::Parallel(parallel) => parallel.fmt(f),
            Step::Label(label) => label.fmt(f),
        }
    }
}

/// A filter with its counters.
#[derive(Clone, Debug)]
pub struct FilterStep {
    /// The filter.
    pub filter: Arc<Filter>,
    /// Its counters, shared by all uses of the same filter statement.
    pub counters: Arc<FilterCounters>,
}

impl FilterStep {
    /// Makes a step with counters of its own.
    pub fn new(filter: Arc<Filter>) -> FilterStep {
        FilterStep { filter, counters: Arc::default() }
    }
}

/// A destination at the end of a step.
#[derive(Clone)]
pub struct OutletStep {
    /// Name of the destination, for messages.
    pub name: String,
    /// Its queue.
    pub outlet: Arc<dyn Outlet>,
}

/// `channel { ... }` of a junction, or a branch of an `if`.
#[derive(Debug, Default)]
pub struct Channel {
    /// Sources inside the channel: their messages enter here.
    pub sources: Vec<String>,
    /// `if (condition)`: only messages for which it holds enter; those that the steps stop later are not tried
    /// elsewhere.
    pub condition: Option<FilterStep>,
    /// Its steps, in order.
    pub steps: Vec<Step>,
    /// `flags(...)`.
    pub flags: StepFlags,
    /// Its name, for a tracer.
    pub label: Option<Box<Label>>,
    /// The counters of a branch that has a name, shared with the statistics.
    pub counters: Option<Arc<PathCounters>>,
}

impl Step {
    /// Makes the step of `if ... elif ... else ...`: each branch takes the messages that the ones before did not.
    /// Without an `else` branch (a last one that has neither condition nor steps) what none takes is not stopped: one
    /// is added.
    pub fn conditional(mut branches: Vec<Channel>, otherwise: Option<Channel>) -> Step {
        branches.push(otherwise.unwrap_or_default());
        branches.iter_mut().for_each(|branch| branch.flags.last = true);
        Step::Junction(branches)
    }
}

/// The compiled log paths of one configuration.
#[derive(Debug)]
pub struct Router {
    pub(super) plan: Plan,
    /// Paths that messages of a source enter, at their head or inside.
    pub(super) entries: HashMap<String, Vec<usize>>,
    /// Paths with `catchall`: the only ones for sources that no path names.
    pub(super) catchall: Vec<usize>,
    /// True when a path has a source inside it, and not at its head: only then branches without messages are walked through.
    pub(super) inner_sources: bool,
    /// True when some parser has timers: only then a tick walks through the paths.
    pub(super) timed: bool,
    /// True when some path has a thread of its own.
    pub(super) threaded: bool,
}

/// The rest of a path, and where it runs.
pub struct Parallel {
    pub(super) lanes: Arc<dyn Lanes>,
    pub(super) key: Option<Arc<Template>>,
    pub(super) rest: Arc<Router>,
    pub(super) next: AtomicUsize,
}

impl fmt::Debug for Parallel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parallel").field("key", &self.key).field("rest", &self.rest).finish()
    }
}

/// Error in the paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlanError {
    /// Paths, junctions and channels are nested too deep.
    Depth,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanError::Depth => write!(f, "log paths are nested deeper than {} levels", DEPTH_MAX),
        }
    }
}

impl std::error::Error for PlanError {}
