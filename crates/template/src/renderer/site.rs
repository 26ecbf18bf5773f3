//! The facts about a machine and a program that macros show.
//!
//! In: facts that the program determines at its start. Out: the same, for every template. Holds: these facts.
//! Limits: none.

use super::machine::Machine;
use jiff::tz::TimeZone;
use std::sync::Arc;

/// The values that do not change while the program runs.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// `$LOGHOST`: the name of this machine.
    pub loghost: String,
    /// `$HOSTID`, kept across restarts.
    pub host_id: u32,
    /// `$RUNID`, counts starts.
    pub run_id: u32,
    /// Start of the program, in microseconds since 1970.
    pub started_us: i64,
    /// The environment, for `$(env NAME)`.
    pub environment: Vec<(String, String)>,
    /// Its zone; UTC when it is not set.
    pub zone: Option<TimeZone>,
    /// The answers to `$(uuid)`, `$(dns-resolve-ip ...)` and `$(getent ...)`; `None` in checks.
    pub machine: Option<Arc<dyn Machine>>,
}
