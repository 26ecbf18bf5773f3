//! The rules in force, as the database has them.
//!
//! In: the texts of rules that a logspace's thread has adopted. Out: the rules that watch it, and how far they have come. Holds
//! nothing.
//! Limits: [`crate::folder::RuleSet`] has those of rules.

use crate::{
    folder::{RuleSet, saved_id},
    store::{AlertFilter, AlertState, Store, StoreError},
};
use std::{collections::BTreeMap, path::Path, sync::Arc};
use watch::Rule;

/// Most alerts that are counted.
const FIRING_MAX: usize = 10_000;
/// State of messages that a rule has evaluated.
const EVALUATED: &str = "evaluated";

/// A rule that watches a logspace.
#[derive(Clone, Debug)]
pub struct RuleInForce {
    /// The rule.
    pub rule: Arc<Rule>,
    /// Name of the file that it is kept in, without its folder; none for the rule of an object, whose id is that of the rule.
    pub file: Option<String>,
}

/// Returns the rules that watch a logspace, in the order of their texts; none when it has none. Texts that an earlier
/// version has accepted and this one refuses have no rules in force.
pub fn rules_in_force(store: &Store, logspace: &str) -> Result<Vec<RuleInForce>, StoreError> {
    let Some(resumed) = store.resumed(logspace)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (path, text) in resumed.texts {
        let file = saved_id(&path).is_none().then(|| {
            let name = Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned());
            name.unwrap_or_default()
        });
        let Ok(set) = RuleSet::of(vec![(path, text)]) else { continue };
        let watching = set.watching(logspace);
        found.extend(watching.into_iter().map(|rule| RuleInForce { rule, file: file.clone() }));
    }
    Ok(found)
}

/// How far a rule has come in a logspace.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RuleProgress {
    /// Sequence number of the first message that it has evaluated; none: it has evaluated none yet.
    pub from: Option<u64>,
    /// Sequence number of the next message.
    pub next_sequence: u64,
    /// Messages in gaps, which it has not evaluated.
    pub missed: u64,
    /// Stretches of messages that it has not evaluated, or after which it has begun without a past.
    pub gaps: u64,
    /// Its alerts that fire; of all rules that were asked for 10,000 at most.
    pub firing: u64,
}

/// How far the rules of a logspace have come.
#[derive(Clone, Debug)]
pub struct LogspaceProgress {
    rules: BTreeMap<String, RuleProgress>,
    /// The progress of a rule of which nothing is known yet.
    empty: RuleProgress,
}

impl LogspaceProgress {
    /// Returns how far a rule has come.
    pub fn of(&self, rule: &str) -> RuleProgress {
        self.rules.get(rule).copied().unwrap_or(self.empty)
    }
}

/// Returns how far the rules of a logspace have come, or only one of them.
pub fn rule_progress(
    store: &Store,
    logspace: &str,
    rule: Option<&str>,
) -> Result<LogspaceProgress, StoreError> {
    let watched = store.watched()?.into_iter().find(|watched| watched.logspace == logspace);
    let empty = RuleProgress { next_sequence: watched.map_or(0, |one| one.cursor), ..Default::default() };
    let mut rules: BTreeMap<String, RuleProgress> = BTreeMap::new();
    for part in store.coverage(logspace, rule)? {
        let known = rules.entry(part.rule).or_insert(empty);
        if part.state == EVALUATED {
            known.from = Some(known.from.map_or(part.from, |from| from.min(part.from)));
        } else {
            known.gaps += 1;
            known.missed += part.to.unwrap_or(empty.next_sequence).saturating_sub(part.from);
        }
    }
    let filter = AlertFilter {
        logspaces: Some(vec![logspace.to_owned()]),
        rule: rule.map(str::to_owned),
        state: Some(AlertState::Firing),
        before: None,
        limit: FIRING_MAX,
    };
    for alert in store.alerts(&filter)? {
        if let Some(known) = rules.get_mut(&alert.rule) {
            known.firing += 1;
        }
    }
    Ok(LogspaceProgress { rules, empty })
}
