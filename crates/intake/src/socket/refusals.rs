//! Our log's lines about refused connections, and their counts.
//!
//! In: connections that a limit did not allow. Out: counts by reason, lines. Holds: when each reason was last logged.
//! Limits: one line for each reason in [`TOLD_EVERY`]; it has the number of connections.

use crate::source::Settings;
use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};
use transport::{
    InternalLog, LogPause,
    stats::{REFUSAL_REASONS, RefusalReason},
};

/// Pause between two lines of one reason.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// Writes the lines, and counts what was not written.
pub(super) struct RefusalLog {
    log: InternalLog,
    pauses: Mutex<[LogPause; REFUSAL_REASONS.len()]>,
}

impl RefusalLog {
    pub(super) fn new(log: InternalLog) -> RefusalLog {
        RefusalLog { log, pauses: Mutex::new(REFUSAL_REASONS.map(|_| LogPause::new(TOLD_EVERY))) }
    }

    /// A connection was refused, or had to leave. `max` is the limit that it met.
    pub(super) fn refused(&self, reason: RefusalReason, client: &str, max: usize, settings: &Settings) {
        let now = Instant::now();
        settings.counters.refuse(reason, now);
        let mut pauses = self.pauses.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(count) = pauses[reason as usize].count(1, now) else { return };
        drop(pauses);
        let what = match reason {
            RefusalReason::MaxConnections => "Number of allowed concurrent connections reached",
            RefusalReason::PerAddress => "Number of allowed concurrent connections of one address reached",
            RefusalReason::Handshakes => "Number of TLS handshakes at a time reached",
            RefusalReason::OpenFiles => "The limit of open files leaves no room for more connections",
        };
        let (local, group) = (&settings.counters.instance, &settings.options.source);
        self.log.error(&format!(
            "{what}, rejecting connection; client='{client}', local='{local}', group_name='{group}', max='{max}', count='{count}'"
        ));
    }
}
