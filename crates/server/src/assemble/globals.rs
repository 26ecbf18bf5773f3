//! The global options of a configuration.
//!
//! In: its `options` statements. Out: the last value of each, under its present name.

use super::options::present_name;
use config::tree::{Call, Statement, Tree};
use std::collections::BTreeMap;

/// The global options.
#[derive(Default)]
pub(super) struct Globals<'t>(BTreeMap<String, &'t Call>);

impl<'t> Globals<'t> {
    pub(super) fn of(tree: &'t Tree) -> Globals<'t> {
        let mut globals = Globals::default();
        for statement in &tree.statements {
            let Statement::Options(calls) = statement else { continue };
            for call in calls {
                globals.0.insert(present_name(config::options::global(), &call.key()), call);
            }
        }
        globals
    }

    pub(super) fn get(&self, name: &str) -> Option<&'t Call> {
        self.0.get(name).copied()
    }

    /// `stats(level())`, or `stats-level()`.
    pub(super) fn stats_level(&self) -> i64 {
        let inside = self.get("stats").and_then(|stats| stats.option("level"));
        inside.or_else(|| self.get("stats-level")).and_then(Call::number).unwrap_or(0)
    }

    pub(super) fn yes(&self, name: &str, default: bool) -> bool {
        self.get(name).and_then(Call::truth).unwrap_or(default)
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).and_then(|option| option.texts().into_iter().next())
    }
}
