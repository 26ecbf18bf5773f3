//! What others ask of a thread.
//!
//! In: a new set of rules, the end. Out: the same to the thread. Holds the last request of each kind.

use crate::folder::RuleSet;
use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How a thread ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// It goes on at the next start.
    Stop,
    /// The logspace has no rules any more.
    Retire,
    /// At once, without writing anything, as a crash would, for tests.
    Crash,
}

/// The requests.
#[derive(Default)]
pub(crate) struct Desk {
    requests: Mutex<Requests>,
    changed: Condvar,
}

#[derive(Default)]
struct Requests {
    rules: Option<Arc<RuleSet>>,
    ending: Option<Ending>,
}

impl Desk {
    /// Asks for a set of rules; an earlier one that was not taken is forgotten.
    pub(crate) fn put_rules(&self, rules: Arc<RuleSet>) {
        self.locked().rules = Some(rules);
        self.changed.notify_all();
    }

    /// Asks for a set of rules, unless another one was asked for meanwhile.
    pub(super) fn put_rules_unless_newer(&self, rules: Arc<RuleSet>) {
        self.locked().rules.get_or_insert(rules);
    }

    /// Asks for the end.
    pub(crate) fn end(&self, ending: Ending) {
        self.locked().ending = Some(ending);
        self.changed.notify_all();
    }

    /// Takes the set of rules that was asked for.
    pub(super) fn take_rules(&self) -> Option<Arc<RuleSet>> {
        self.locked().rules.take()
    }

    /// Returns the end that was asked for.
    pub(super) fn ending(&self) -> Option<Ending> {
        self.locked().ending
    }

    /// Waits until something is asked for, or a time has passed.
    pub(super) fn wait(&self, time: Duration) {
        let deadline = Instant::now() + time;
        let mut requests = self.locked();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if requests.rules.is_some() || requests.ending.is_some() || left.is_zero() {
                return;
            }
            requests = self.changed.wait_timeout(requests, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn locked(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
