//! Checking a configuration, and making its parts.
//!
//! In: a configuration. Out: every finding about it; its parts. Holds: nothing between calls.
//! Limits: those of the language and of the parts.

use super::{
    assembly::{Parts, lower},
    environment::Environment,
};
use config::{Report, Surroundings, Texts, Tree};
use std::path::Path;

/// A configuration that was read, and all findings about it.
pub(crate) struct Checked {
    /// Its tree; only complete when the report is usable.
    pub(crate) tree: Tree,
    /// The findings.
    pub(crate) report: Report,
}

impl Checked {
    /// Returns the texts that the findings point into.
    pub(crate) fn texts(&self) -> &Texts {
        &self.tree.texts
    }
}

/// Reads a configuration and reports all errors. Starts, opens and looks up nothing.
pub(crate) fn check(path: &Path, surroundings: &dyn Surroundings) -> Checked {
    let (tree, report) = config::parse(path, surroundings);
    with_findings(tree, report)
}

/// Does the same as [`check`], and returns the configuration as one text, with includes and blocks expanded.
pub(crate) fn check_preprocessed(path: &Path, surroundings: &dyn Surroundings) -> (Checked, String) {
    let (tree, report, text) = config::preprocess(path, surroundings);
    (with_findings(tree, report), text)
}

/// Adds the findings about a tree that has been read.
pub(crate) fn with_findings(tree: Tree, mut report: Report) -> Checked {
    config::check(&tree, &mut report);
    lower(&tree, &Environment::for_check(), &mut report);
    Checked { tree, report }
}

/// Makes the parts of a configuration whose check found no error. Returns `None`, with errors in the report, if they
/// cannot be made.
pub(crate) fn build(tree: &Tree, environment: &Environment, report: &mut Report) -> Option<Parts> {
    let parts = lower(tree, environment, report);
    parts.filter(|_| report.is_usable())
}
