//! The counters along the log paths.
//!
//! In: counters by name. Out: the same, for the statistics. Holds: shares of the counters, which continue over reloads.

use enrich::LookupStore;
use pipeline::route::{FilterCounters, ParserCounters, PathCounters, RouterCounters};
use std::sync::Arc;

/// The counters of filters, parsers and log paths, by name. They continue over reloads.
#[derive(Clone, Default)]
pub(crate) struct NamedCounters {
    /// The named filters.
    pub(crate) filters: Vec<(String, Arc<FilterCounters>)>,
    /// The parsers that are in use.
    pub(crate) parsers: Vec<(String, Arc<ParserCounters>)>,
    /// The top-level log paths, and those inside of others that have a name.
    pub(crate) paths: Vec<(String, Arc<PathCounters>)>,
    /// The knowledge of servers that parsers look keys up at, by the name of the server.
    pub(crate) lookups: Vec<(String, Arc<LookupStore>)>,
    /// The messages that no path took.
    pub(crate) router: Arc<RouterCounters>,
}

impl NamedCounters {
    /// Sets all of them to zero.
    pub(crate) fn reset(&self) {
        self.filters.iter().for_each(|(_, counters)| counters.reset());
        self.parsers.iter().for_each(|(_, counters)| counters.reset());
        self.paths.iter().for_each(|(_, counters)| counters.reset());
        self.lookups.iter().for_each(|(_, store)| store.reset());
        self.router.reset();
    }
}
