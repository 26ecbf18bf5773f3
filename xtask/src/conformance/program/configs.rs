//! Checks real configurations with `syslog-ng --syntax-only`, compares the result with syslog-ng 4.8.1's, and
//! starts them.
//!
//! In: `configs/syslog-ng/INDEX.jsonl` and its files. Out: four rows. Of the configurations that syslog-ng
//! accepts, we should accept most, and nearly all except for drivers that we do not have yet. Those that
//! syslog-ng refuses, we should refuse, with a position and a caret for every error, and for syntax errors on
//! the same line as syslog-ng. Those that both accept must start, unless they are only parts of a
//! configuration or need folders and names of another machine.

use super::executable::Program;
use super::started::{self, Start};
use crate::conformance::{
    error::RunError,
    records::{records, text},
    row::Row,
};
use serde_json::Value;
use std::{fs, path::Path};

/// The lines that were put before files without a version, according to the index.
const VERSION: &str = "@version: 4.2\n@include \"scl.conf\"\n";

/// Errors of syslog-ng about files or users missing on its machine; a check does not look at the machine.
const OF_THE_MACHINE: &[&str] = &["not found: No such file or directory in", "Error resolving user"];

/// Part of the error about a driver that is not supported yet.
const LATER: &str = "is not supported yet";

pub(crate) fn run(folder: &Path) -> Result<Vec<Row>, RunError> {
    let program = Program::find()?;
    let folder = folder.join("configs/syslog-ng");
    let scratch = tempfile::tempdir().map_err(RunError::io("make a folder"))?;
    let mut accepted = Row::empty("configs/accepted", 93.0);
    let mut of_what_runs = Row::empty("configs/accepted-but-for-later-drivers", 100.0);
    let mut started = Row::empty("configs/started", 100.0);
    let mut refused = Row::empty("configs/refused", 100.0);
    for case in records(&folder.join("INDEX.jsonl"))? {
        let name = text(&case, "file");
        let path = folder.join(name);
        let bytes = fs::read(&path).map_err(RunError::read(&path))?;
        let config = scratch.path().join(name);
        let has_version = bytes.windows(8).any(|window| window == b"@version");
        let whole = if has_version { bytes } else { [VERSION.as_bytes(), &bytes].concat() };
        fs::write(&config, whole).map_err(RunError::write(&config))?;
        let verdict = program.check(scratch.path(), &config)?;
        let expected = &case["syslog_ng_4_8_1"];
        let is_accepted = expected["accepted"] == true;
        if !is_accepted && OF_THE_MACHINE.iter().any(|words| text(expected, "error").contains(words)) {
            continue;
        }
        let difference = match (is_accepted, verdict.accepted) {
            (true, true) => None,
            (true, false) => {
                Some(verdict.text.lines().find(|line| line.starts_with("error")).unwrap_or("").to_owned())
            }
            (false, true) => Some(format!("accepted; syslog-ng says: {}", text(expected, "error"))),
            (false, false) => misplaced(&verdict.text, expected),
        };
        if is_accepted && difference.as_ref().is_none_or(|difference| !difference.contains(LATER)) {
            of_what_runs.count(name, difference.clone());
        }
        if is_accepted && difference.is_none() {
            match started::start(program.path(), &config)? {
                Start::Up => started.count(name, None),
                Start::Failed(words) => started.count(name, Some(words)),
                Start::NotHere => {}
            }
        }
        let row = if is_accepted { &mut accepted } else { &mut refused };
        row.count(name, difference);
    }
    Ok(vec![accepted, of_what_runs, started, refused])
}

/// Compares the positions of the errors with syslog-ng's. `None` when they are correct, or when syslog-ng's
/// report has no position to compare with.
fn misplaced(report: &str, expected: &Value) -> Option<String> {
    let mut lines_of_errors = Vec::new();
    for block in report.split("\n\n").filter(|block| block.trim_start().starts_with("error")) {
        let place = block.lines().find_map(|line| line.trim_start().strip_prefix("--> "));
        let line =
            place.and_then(|place| place.rsplit(':').nth(1)).and_then(|line| line.parse::<usize>().ok());
        match line {
            Some(line) if block.contains('^') => lines_of_errors.push(line),
            _ => return Some(format!("an error without a place or caret: {block}")),
        }
    }
    let told = text(expected, "error");
    let wanted = if told.contains("syntax error") { place_of(told)? } else { return None };
    let found = lines_of_errors.contains(&wanted);
    (!found).then(|| format!("errors on lines {lines_of_errors:?}, syslog-ng says: {told}"))
}

/// The line in `... in FILE:95:1-95:7:` or `... in FILE(+2 lines):19:23-19:24:`.
fn place_of(told: &str) -> Option<usize> {
    let after = told.split(" in FILE").nth(1)?;
    let after = after.strip_prefix("(+2 lines)").unwrap_or(after);
    after.trim_start_matches(':').split(':').next()?.parse().ok()
}
