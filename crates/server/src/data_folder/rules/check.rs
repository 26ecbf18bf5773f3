//! `duramen rules check`: every error in files of rules, with its place.
//!
//! In: files. Out: errors on standard error; the number of rules, and what makes some of them costly. Holds nothing.

use super::files::{self, FilesError, RulesFile};
use clap::Args;
use std::path::PathBuf;
use watch::Rule;

/// Options of `check`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Files of rules, YAML or JSON
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Checks the files; returns false when something is wrong with them.
pub(super) fn run(options: &Options) -> Result<bool, FilesError> {
    let files = match files::read(&options.files) {
        Err(error @ FilesError::Wrong { .. }) => {
            errln!("{error}");
            return Ok(false);
        }
        files => files?,
    };
    files.iter().for_each(print);
    Ok(true)
}

fn print(file: &RulesFile) {
    let path = file.path.display();
    for rule in &file.rules {
        for hint in rule.query.hints() {
            errln!("{path}: rule {}: {}", rule.id, hint.message);
        }
        if is_costly(rule) {
            errln!(
                "{path}: rule {} is evaluated for every message: its query requires no word and no value",
                rule.id
            );
        }
    }
    match file.rules.len() {
        1 => outln!("{path}: 1 rule, no errors"),
        count => outln!("{path}: {count} rules, no errors"),
    }
}

/// Returns true if a query of a rule must be evaluated for every message. One that matches all is not costly.
fn is_costly(rule: &Rule) -> bool {
    let queries = [Some(&rule.query), rule.kind.then()];
    let mut costly = queries.into_iter().flatten().filter(|query| query.required_marks().is_none());
    costly.any(|query| !matches!(query.text().trim(), "" | "*"))
}
