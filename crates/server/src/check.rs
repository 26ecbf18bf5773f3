//! `duramen check`: every error of a configuration, with its place.
//!
//! In: a file. Out: findings on standard error, exit status 1 when one of them is an error.

use crate::assemble::{self, Checked};
use config::Disk;
use std::{
    io::{self, IsTerminal},
    path::Path,
    process::ExitCode,
};

/// Checks a configuration and starts nothing.
pub(crate) fn run(path: &Path) -> ExitCode {
    let checked = assemble::check(path, &Disk::default());
    eprint!("{}", rendered(&checked));
    match checked.report.error_count() {
        0 => {
            println!("{}: no errors", path.display());
            ExitCode::SUCCESS
        }
        count => {
            let plural = if count == 1 { "" } else { "s" };
            eprintln!("{}: {count} error{plural}", path.display());
            ExitCode::FAILURE
        }
    }
}

/// All findings as people read them; in colour on a terminal.
pub(crate) fn rendered(checked: &Checked) -> String {
    match io::stderr().is_terminal() {
        true => checked.report.render_styled(checked.texts()),
        false => checked.report.render_plain(checked.texts()),
    }
}
