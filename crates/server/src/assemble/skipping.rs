//! `--skip-unsupported`: reduces a configuration to the parts that can run.
//!
//! In: a configuration. Out: a tree that is usable, warnings for the parts left out, and a list of these.
//! Holds: nothing between calls. Limits: at most [`ROUNDS_MAX`] rounds; each leaves out at least one part.

use super::{
    assembly::lower,
    check::{Checked, with_findings},
    environment::Environment,
};
use config::{Diagnostic, LeftOut, Report, Skipping, Span, Surroundings, Tree, tree::Statement};
use std::path::Path;

/// Most rounds: a missing statement removes those that use it in the next round.
const ROUNDS_MAX: usize = 200;

/// The part of a configuration that can run.
pub(crate) struct Reduced {
    /// Its tree and the findings; not usable when something is wrong that cannot be left out.
    pub(crate) checked: Checked,
    /// The configuration as one text, with includes and blocks expanded, before anything is left out.
    pub(crate) preprocessed: String,
    /// The statements, drivers and log paths that do not run.
    pub(crate) left_out: Vec<LeftOut>,
}

/// Reads a configuration and leaves out the parts that cannot run. Starts, opens and looks up nothing.
pub(crate) fn check_skipping(path: &Path, surroundings: &dyn Surroundings) -> Reduced {
    let (mut tree, read, preprocessed) = config::preprocess(path, surroundings);
    let had_paths = has_paths(&tree);
    let Some(mut skipping) = Skipping::start(&mut tree, &read) else {
        return Reduced { checked: with_findings(tree, read), preprocessed, left_out: Vec::new() };
    };
    let mut reported = Report::default();
    reported.extend_forgiven(&read);
    for _ in 0..ROUNDS_MAX {
        let mut round = Report::default();
        config::check(&tree, &mut round);
        lower(&tree, &Environment::for_check(), &mut round);
        if round.is_usable() || !skipping.round(&mut tree, &round) {
            round.findings().iter().for_each(|finding| reported.push(finding.clone()));
            break;
        }
        reported.extend_forgiven(&round);
    }
    if had_paths && !has_paths(&tree) {
        reported.push(Diagnostic::error(Span::default(), "no log path is left that can be run"));
    }
    Reduced { checked: Checked { tree, report: reported }, preprocessed, left_out: skipping.left_out() }
}

fn has_paths(tree: &Tree) -> bool {
    tree.statements.iter().any(|statement| matches!(statement, Statement::Log(_)))
}
