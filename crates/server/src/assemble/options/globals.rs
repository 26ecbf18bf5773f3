//! The global options of a configuration.
//!
//! In: its `options` statements and its `@version`. Out: the last value of each, under its current name. Holds: which
//! options of drivers have been read so far: one that is never read has no effect.

use super::spelling::present_name;
use config::tree::{Call, Statement, Tree, Version};
use std::{
    cell::RefCell,
    collections::{BTreeMap, HashSet},
    ptr,
    time::Duration,
};

/// Default of `mark-freq()`, as in syslog-ng.
pub(crate) const MARK_EVERY: Duration = Duration::from_secs(1200);

/// The global options, and the version that decides about defaults.
#[derive(Default)]
pub(crate) struct Globals<'t> {
    options: BTreeMap<String, &'t Call>,
    pub(crate) version: Option<Version>,
    /// The options of drivers that have been read: all others have no effect.
    used: RefCell<HashSet<*const Call>>,
}

impl<'t> Globals<'t> {
    pub(crate) fn of(tree: &'t Tree) -> Globals<'t> {
        let mut globals = Globals { version: tree.version, ..Globals::default() };
        for statement in &tree.statements {
            let Statement::Options(calls) = statement else { continue };
            for call in calls {
                globals.options.insert(present_name(config::options::global(), &call.key()), call);
            }
        }
        globals
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'t Call> {
        self.options.get(name).copied()
    }

    /// Records that an option of a driver has been read.
    pub(crate) fn mark_used(&self, option: &Call) {
        self.used.borrow_mut().insert(ptr::from_ref(option));
    }

    /// Returns true if the option has been read.
    pub(crate) fn was_used(&self, option: &Call) -> bool {
        self.used.borrow().contains(&ptr::from_ref(option))
    }

    /// `stats(level())`, or `stats-level()`.
    pub(crate) fn stats_level(&self) -> i64 {
        let inside = self.get("stats").and_then(|stats| stats.option("level"));
        inside.or_else(|| self.get("stats-level")).and_then(Call::number).unwrap_or(0)
    }

    /// Returns the value of a switch; `None` where it is left out.
    pub(crate) fn truth(&self, name: &str) -> Option<bool> {
        self.get(name).and_then(Call::truth)
    }

    /// Returns true for a switch that is on: one that is off by default.
    pub(crate) fn is_yes(&self, name: &str) -> bool {
        self.truth(name) == Some(true)
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(|option| option.texts().into_iter().next())
    }
}
