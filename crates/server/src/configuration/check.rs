//! `duramen check`: every error of a configuration, with its position.
//!
//! In: a file. Out: findings on standard error, exit status 1 when one of them is an error; on demand also the whole
//! configuration as one text.

use crate::{
    assemble::{self, Checked},
    terminal,
};
use config::Disk;
use std::{
    fs,
    io::{self, IsTerminal},
    path::{Path, PathBuf},
    process::ExitCode,
};

/// The options of a check.
#[derive(Default, Debug)]
pub(crate) struct Checking {
    /// File for the configuration with includes inserted and blocks expanded.
    pub(crate) preprocess_into: Option<PathBuf>,
    /// True for a part of a configuration: names that it does not define are no errors.
    pub(crate) syntax_only: bool,
    /// True to count warnings as errors.
    pub(crate) strict: bool,
    /// True to leave out the parts that cannot run.
    pub(crate) skip_unsupported: bool,
}

/// Checks a configuration and starts nothing.
pub(crate) fn run(path: &Path, checking: &Checking) -> ExitCode {
    let disk = Disk::default();
    let mut left_out = Vec::new();
    let mut checked = match &checking.preprocess_into {
        None if checking.skip_unsupported => {
            let reduced = assemble::check_skipping(path, &disk);
            left_out = reduced.left_out;
            reduced.checked
        }
        None => assemble::check(path, &disk),
        Some(target) => {
            let (checked, text) = assemble::check_preprocessed(path, &disk);
            if let Err(error) = fs::write(target, text) {
                errln!("cannot write {}: {error}", target.display());
                return ExitCode::FAILURE;
            }
            checked
        }
    };
    if checking.syntax_only {
        checked.report.forgive_unresolved();
    } else if checked.report.is_usable() {
        config::advise(&checked.tree, &mut checked.report);
    }
    terminal::complain_styled(&rendered(&checked));
    left_out.iter().for_each(|one| errln!("{one}"));
    match checked.report.error_count() {
        0 if checking.strict && checked.report.warning_count() > 0 => {
            errln!(
                "{}: {} with --strict",
                path.display(),
                counted(checked.report.warning_count(), "warning")
            );
            ExitCode::FAILURE
        }
        0 if !left_out.is_empty() => {
            outln!("{}: starts, with {} left out", path.display(), counted(left_out.len(), "part"));
            ExitCode::SUCCESS
        }
        0 => {
            outln!("{}: no errors", path.display());
            ExitCode::SUCCESS
        }
        count => {
            errln!("{}: {}", path.display(), counted(count, "error"));
            ExitCode::FAILURE
        }
    }
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Formats all findings for a reader; in colour on a terminal.
pub(crate) fn rendered(checked: &Checked) -> String {
    match io::stderr().is_terminal() {
        true => checked.report.render_styled(checked.texts()),
        false => terminal::lines(&checked.report.render_plain(checked.texts())).into_owned(),
    }
}
