//! Turns a checked tree into running parts: the settings of sources, the pipeline, destinations and the
//! store.
//!
//! In: a configuration. Out: every finding about it, and [`Parts`]: sources, destinations, logspaces and the router
//! between them. Nothing is opened or started here; the owner of the parts does that.
//! Holds: nothing between calls. Limits: those of the language and of the parts.

mod destinations;
mod expressions;
mod logspaces;
mod lowering;
mod options;
mod page;
mod parsers;
mod parts;
mod paths;
mod reload_state;
mod rewrites;
mod skipping;
mod sources;
mod tls;

#[cfg(test)]
mod tests;

use crate::{lanes::LaneThreads, taps::TapPlace};
use config::{Report, Surroundings, Texts, Tree};
use delivery::DestinationSpec;
use intake::SourceSpec;
use jiff::tz::TimeZone;
use pipeline::{
    Definitions, Router,
    correlation::Sink,
    parser::Probes,
    route::{FilterCounters, ParserCounters, PathCounters, RouterCounters},
};
use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};
use template::Site;
use transport::tls::Passwords;

pub(crate) use logspaces::views::{ViewMember, ViewSpec};
pub(crate) use page::PageSpec;
pub(crate) use parsers::TableFile;
pub(crate) use parts::chores::Chores;
pub(crate) use parts::database_file::{WatchedDatabase, read as read_database};
pub(crate) use parts::hook::Hook;
pub(crate) use parts::late_bound_outlet::LateBoundOutlet;
pub(crate) use reload_state::Kept;
pub(crate) use skipping::{Reduced, check_skipping};

/// The surroundings that a configuration is compiled for.
#[derive(Clone)]
pub(crate) struct Environment {
    /// Host name, host id, run id and environment for macros.
    pub(crate) site: Arc<Site>,
    /// Zone of this machine.
    pub(crate) zone: TimeZone,
    /// The counter behind `${RCPTID}`; it continues over reloads.
    pub(crate) rcptid: Arc<AtomicU64>,
    /// Folder where queues on disk are kept unless they say otherwise.
    pub(crate) data: PathBuf,
    /// Passwords of private keys; given passwords stay valid over reloads.
    pub(crate) passwords: Passwords,
    /// True if names of hosts, users and files may be looked up; a check does not.
    pub(crate) looks_up: bool,
    /// State that parsers keep over reloads.
    pub(crate) kept: Kept,
    /// The counters of metrics-probe(); they continue over reloads.
    pub(crate) probes: Arc<Probes>,
    /// Receives the messages that parsers make for `internal()`.
    pub(crate) inject: Sink,
    /// True if paths and steps get labels, for [`Router::take_watched`].
    pub(crate) labels: bool,
}

impl Environment {
    /// Makes one for checks: nothing is looked up.
    pub(crate) fn for_check() -> Environment {
        Environment {
            site: Arc::default(),
            zone: TimeZone::UTC,
            rcptid: Arc::default(),
            passwords: Passwords::default(),
            data: PathBuf::new(),
            looks_up: false,
            kept: Kept::default(),
            probes: Arc::default(),
            inject: Sink(Arc::new(drop)),
            labels: false,
        }
    }

    /// Makes one for trying out paths: files are read, nothing else is looked up, and steps have labels.
    pub(crate) fn for_trial(inject: Sink) -> Environment {
        let site = Site {
            loghost: machine_name(),
            environment: std::env::vars().collect(),
            zone: Some(TimeZone::system()),
            ..Site::default()
        };
        let (site, zone) = (Arc::new(site), TimeZone::system());
        Environment { site, zone, looks_up: true, labels: true, inject, ..Environment::for_check() }
    }
}

/// Returns the name of this machine, as the kernel knows it.
pub(crate) fn machine_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "localhost".into() } else { name.into() }
}

/// A configuration that was read, and all findings about it.
pub(crate) struct Checked {
    /// Its tree; only complete when the report is usable.
    pub(crate) tree: Tree,
    /// The findings.
    pub(crate) report: Report,
}

impl Checked {
    /// The texts that the findings point into.
    pub(crate) fn texts(&self) -> &Texts {
        &self.tree.texts
    }
}

/// A logspace that a configuration writes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LogspaceSpec {
    /// `d_store#0`: name of the statement and number of the driver.
    pub(crate) id: String,
    /// Its name: the folder below the folder of logspaces.
    pub(crate) name: String,
    /// `retention-age()`.
    pub(crate) retention_age: Option<Duration>,
    /// `retention-size()`.
    pub(crate) retention_bytes: Option<u64>,
    /// `legal-hold()`.
    pub(crate) legal_hold: bool,
    /// `clock-jump-wait()`.
    pub(crate) clock_wait: Option<Duration>,
    /// `segment-memory()`, bytes.
    pub(crate) segment_memory: Option<u64>,
    /// Options of sealing.
    pub(crate) sealing: SealingSpec,
}

/// The options of sealing a logspace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SealingSpec {
    /// `encrypt-certificate()`.
    pub(crate) recipients: Vec<String>,
    /// `decrypt-key()`.
    pub(crate) decrypt_key: Option<PathBuf>,
    /// `sign-key()`.
    pub(crate) sign_key: Option<PathBuf>,
    /// `timestamp-url()`.
    pub(crate) timestamp_url: Option<String>,
    /// `timestamp-freq()`.
    pub(crate) timestamp_gap: Duration,
    /// `recode()`.
    pub(crate) recode: bool,
    /// `recode-after()`.
    pub(crate) recode_after: Option<Duration>,
    /// `age-after()`.
    pub(crate) age_after: Option<Duration>,
    /// `scrub-rate()`.
    pub(crate) scrub_bytes_a_second: Option<u64>,
    /// `archive-to()`.
    pub(crate) archive_to: Option<PathBuf>,
    /// `archive-after()`.
    pub(crate) archive_after: Option<Duration>,
}

/// Counters between sources and destinations, by name. They continue over reloads.
#[derive(Clone, Default)]
pub(crate) struct Tallies {
    /// The named filters.
    pub(crate) filters: Vec<(String, Arc<FilterCounters>)>,
    /// The parsers that are in use.
    pub(crate) parsers: Vec<(String, Arc<ParserCounters>)>,
    /// The top-level log paths, and those inside of others that have a name.
    pub(crate) paths: Vec<(String, Arc<PathCounters>)>,
    /// The messages that no path took.
    pub(crate) router: Arc<RouterCounters>,
}

impl Tallies {
    /// Sets all of them to zero.
    pub(crate) fn reset(&self) {
        self.filters.iter().for_each(|(_, counters)| counters.reset());
        self.parsers.iter().for_each(|(_, counters)| counters.reset());
        self.paths.iter().for_each(|(_, counters)| counters.reset());
        self.router.reset();
    }
}

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
    /// Logspaces that are made of these.
    pub(crate) views: Vec<ViewSpec>,
    /// The ends of the log paths: every destination and logspace by id. Each is given its queue before sources start.
    pub(crate) outlets: Vec<(String, Arc<LateBoundOutlet>)>,
    /// The threads of each `parallelize()`: their jobs must be done before destinations stop.
    pub(crate) lanes: Vec<Arc<LaneThreads>>,
    /// The counters along the log paths.
    pub(crate) tallies: Tallies,
    /// The tables that log paths use, with their files.
    pub(crate) tables: Vec<TableFile>,
    /// The places where messages can be looked at.
    pub(crate) taps: Vec<TapPlace>,
    /// Its named templates and filters.
    pub(crate) definitions: Arc<Definitions>,
    /// Options of the page.
    pub(crate) page: PageSpec,
    /// The commands of its drivers.
    pub(crate) hooks: Vec<Hook>,
    /// The periodic tasks of the server.
    pub(crate) chores: Chores,
}

/// Reads a configuration and reports all errors. Starts, opens and looks up nothing.
pub(crate) fn check(path: &Path, surroundings: &dyn Surroundings) -> Checked {
    let (tree, report) = config::parse(path, surroundings);
    judged(tree, report)
}

/// Does the same as [`check`], and returns the configuration as one text, with includes and blocks expanded.
pub(crate) fn check_preprocessed(path: &Path, surroundings: &dyn Surroundings) -> (Checked, String) {
    let (tree, report, text) = config::preprocess(path, surroundings);
    (judged(tree, report), text)
}

fn judged(tree: Tree, mut report: Report) -> Checked {
    config::check(&tree, &mut report);
    lowering::lower(&tree, &Environment::for_check(), &mut report);
    Checked { tree, report }
}

/// Makes the parts of a configuration whose check found no error. None, with errors in the report, if they cannot be made.
pub(crate) fn build(tree: &Tree, environment: &Environment, report: &mut Report) -> Option<Parts> {
    let parts = lowering::lower(tree, environment, report);
    parts.filter(|_| report.is_usable())
}
