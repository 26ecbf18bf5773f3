//! The server's periodic tasks for a configuration: statistics in the log, marks, and the level of the log.
//!
//! In: global options. Out: [`PeriodicTasks`]. Holds: nothing. Limits: none of its own.

use crate::assemble::options::globals::{Globals, MARK_EVERY};
use config::tree::Call;
use std::time::Duration;

/// Default of `stats-freq()`, as in syslog-ng.
const STATISTICS_EVERY: Duration = Duration::from_secs(600);

/// The periodic tasks of the server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct PeriodicTasks {
    /// `stats-freq()`: interval of the message with all counters; `None`: never.
    pub(crate) statistics: Option<Duration>,
    /// `mark-mode(internal)`: interval of the marks of `internal()`.
    pub(crate) marks: Option<Duration>,
    /// `log-level()`
    pub(crate) level: Option<String>,
}

impl PeriodicTasks {
    pub(crate) fn of(globals: &Globals<'_>) -> PeriodicTasks {
        let seconds = |call: &Call| call.number().and_then(|number| u64::try_from(number).ok());
        let every = |call: Option<&Call>, default: Duration| {
            let every = call.and_then(seconds).map_or(default, Duration::from_secs);
            Some(every).filter(|every| !every.is_zero())
        };
        let inside = globals
            .get("stats")
            .and_then(|stats| stats.option("freq").or_else(|| stats.number().map(|_| stats)));
        let is_internal = globals.text("mark-mode").is_some_and(|mode| mode.eq_ignore_ascii_case("internal"));
        PeriodicTasks {
            statistics: every(inside.or_else(|| globals.get("stats-freq")), STATISTICS_EVERY),
            marks: every(globals.get("mark-freq"), MARK_EVERY).filter(|_| is_internal),
            level: globals.text("log-level").map(|level| level.to_ascii_uppercase()),
        }
    }
}
