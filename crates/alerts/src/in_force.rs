//! The rules in force, as the database has them.
//!
//! In: the files of rules that a logspace's thread has adopted. Out: the rules that watch it. Holds nothing.
//! Limits: [`crate::folder::RuleSet`] has those of rules.

use crate::{
    folder::RuleSet,
    store::{Store, StoreError},
};
use std::{path::Path, sync::Arc};
use watch::Rule;

/// A rule that watches a logspace.
#[derive(Clone, Debug)]
pub struct RuleInForce {
    /// The rule.
    pub rule: Arc<Rule>,
    /// Name of the file that it is kept in, without its folder.
    pub file: String,
}

/// Returns the rules that watch a logspace, in the order of their files; none when it has none. Texts that an earlier
/// version has accepted and this one refuses have no rules in force.
pub fn rules_in_force(store: &Store, logspace: &str) -> Result<Vec<RuleInForce>, StoreError> {
    let Some(resumed) = store.resumed(logspace)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (path, text) in resumed.texts {
        let name = Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned());
        let Ok(set) = RuleSet::of(vec![(path, text)]) else { continue };
        let file = name.unwrap_or_default();
        let watching = set.watching(logspace);
        found.extend(watching.into_iter().map(|rule| RuleInForce { rule, file: file.clone() }));
    }
    Ok(found)
}
