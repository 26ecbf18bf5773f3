//! `duramen rules check`: every error in files of rules, and in the file of channels and routes, with its place.
//!
//! In: files. Out: errors on standard error; the number of rules, and what makes some of them costly. Holds nothing.

use super::files::{self, FilesError, RulesFile};
use alerts::is_of_notifications;
use clap::Args;
use std::path::{Path, PathBuf};
use watch::{Notifications, Rule};

/// Options of `check`.
#[derive(Args, Debug)]
pub(super) struct Options {
    /// Files of rules, or notifications.yaml with channels and routes; YAML or JSON
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Checks the files; returns false when something is wrong with them.
pub(super) fn run(options: &Options) -> Result<bool, FilesError> {
    let (notifications, rules): (Vec<PathBuf>, Vec<PathBuf>) =
        options.files.iter().cloned().partition(|path| is_of_notifications(path));
    let mut wrong = 0;
    match files::read(&rules) {
        Err(FilesError::Wrong { count }) => wrong += count,
        files => files?.iter().for_each(print),
    }
    for path in &notifications {
        match files::read_notifications(path) {
            Err(FilesError::Wrong { count }) => wrong += count,
            read => print_notifications(path, &read?),
        }
    }
    if wrong > 0 {
        errln!("{}", FilesError::Wrong { count: wrong });
    }
    Ok(wrong == 0)
}

fn print_notifications(path: &Path, read: &Notifications) {
    let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let (channels, routes) = (count(read.channels.len(), "channel"), count(read.routes.len(), "route"));
    outln!("{}: {channels}, {routes}, no errors", path.display());
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
