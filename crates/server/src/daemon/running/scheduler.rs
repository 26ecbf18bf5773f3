//! The server's periodic tasks: a message with its counters, and marks.
//!
//! In: the time, in ticks of a second. Out: messages of `internal()`. Holds: the number of ticks.
//! Limits: as exact as the ticks.

use crate::assemble::{self, PeriodicTasks};
use message::{Severity, Stamp};
use std::{fmt::Write, sync::atomic::Ordering, time::Duration};
use transport::{InternalLog, Registry};

/// Runs the periodic tasks of a configuration when they are due.
#[derive(Default)]
pub(super) struct Scheduler {
    periodic_tasks: PeriodicTasks,
    ticks: u64,
}

impl Scheduler {
    /// Replaces the tasks by those of another configuration.
    pub(super) fn take(&mut self, periodic_tasks: PeriodicTasks) {
        *self = Scheduler { periodic_tasks, ticks: 0 };
    }

    /// Counts a second, and runs the tasks that are due.
    pub(super) fn tick(&mut self, registry: &Registry, log: &InternalLog, now: Stamp) {
        self.ticks += 1;
        let is_due = |every: Option<Duration>| {
            every.is_some_and(|every| self.ticks.is_multiple_of(every.as_secs().max(1)))
        };
        if is_due(self.periodic_tasks.statistics) {
            log.write(Severity::INFORMATIONAL, &statistics(registry));
        }
        if is_due(self.periodic_tasks.marks) {
            log.inject(delivery::mark(&assemble::machine_name(), now));
        }
    }
}

/// `Log statistics; processed='src.network(s_net#0,...)=5', ...`
fn statistics(registry: &Registry) -> String {
    let mut text = String::from("Log statistics");
    let mut separator = ';';
    for counters in registry.list().iter().filter(|counters| !counters.is_part()) {
        let processed = counters.processed.load(Ordering::Relaxed);
        let is_source = counters.component.starts_with("src.");
        let more = [
            ("dropped", counters.dropped()),
            ("queued", counters.queued.load(Ordering::Relaxed)),
            ("written", counters.written.load(Ordering::Relaxed)),
        ];
        let more = more.into_iter().filter(|_| !is_source);
        for (kind, number) in std::iter::once(("processed", processed)).chain(more) {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "{separator} {kind}='{}({},{})={number}'",
                counters.component, counters.id, counters.instance
            );
            separator = ',';
        }
    }
    text
}

#[cfg(test)]
mod tests {
    //! Rows about the messages of periodic tasks.

    use super::*;
    use std::sync::{Arc, Mutex};

    #[test]
    fn statistics_are_told_so_often() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let echo = told.clone();
        let log = InternalLog::new(
            "test",
            Some(Box::new(move |_, text| echo.lock().unwrap().push(text.to_owned()))),
        );
        let registry = Registry::default();
        registry.register("src.network", "s#0", "x").processed.store(5, Ordering::Relaxed);
        registry.register("dst.file", "d#0", "/y").written.store(4, Ordering::Relaxed);
        let mut scheduler = Scheduler::default();
        scheduler
            .take(PeriodicTasks { statistics: Some(Duration::from_secs(2)), ..PeriodicTasks::default() });
        for _ in 0..3 {
            scheduler.tick(&registry, &log, Stamp::default());
        }
        let want = "Log statistics; processed='dst.file(d#0,/y)=0', dropped='dst.file(d#0,/y)=0', \
                    queued='dst.file(d#0,/y)=0', written='dst.file(d#0,/y)=4', processed='src.network(s#0,x)=5'";
        assert_eq!(*told.lock().unwrap(), [want]);
    }
}
