//! Runs the families one by one and prints a line for each.
//!
//! In: the samples' folder. Out: a table; with `--explain FAMILY` also each difference.

use super::{
    decoding::{go_syslog, golden, hostile, msgparse, rfc_examples, telegraf},
    error::RunError,
    lucene,
    processing::{filters, grok, parsers, patterndb, templates},
    program::{applications, configs, light, rsyslog},
    row::Row,
};
use std::path::Path;

/// A family: its name and the function that runs it with the samples' folder.
type Family = (&'static str, fn(&Path) -> Result<Vec<Row>, RunError>);

const FAMILIES: &[Family] = &[
    ("golden", golden::run),
    ("msgparse", msgparse::run),
    ("rfc-examples", rfc_examples::run),
    ("go-syslog", go_syslog::run),
    ("hostile-wire", hostile::run),
    ("lucene", lucene::run),
    ("telegraf", telegraf::run),
    ("configs", configs::run),
    ("light", light::run),
    ("templates", templates::run),
    ("filters", filters::run),
    ("parsers", parsers::run),
    ("rsyslog", rsyslog::run),
    ("applications", applications::run),
    ("grok", grok::run),
    ("patterndb", patterndb::run),
];

/// The result of every family, by its name.
pub(crate) fn rows(folder: &Path) -> impl Iterator<Item = (&'static str, Result<Vec<Row>, RunError>)> {
    FAMILIES.iter().map(move |(name, family)| (*name, family(folder)))
}

/// Runs every family; false when one is below its lowest percentage.
pub(crate) fn run(_root: &Path, folder: &Path, options: &[&str]) -> bool {
    // Some families start programs in another folder, where a relative path would be wrong.
    let folder = &match folder.canonicalize() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            return false;
        }
    };
    let explain = match options {
        ["--explain", family] => Some(*family),
        _ => None,
    };
    let mut passed = true;
    println!("{:<32} {:>7} {:>7} {:>8} {:>8}", "family", "cases", "passed", "percent", "floor");
    for (name, family) in FAMILIES {
        if explain.is_some_and(|wanted| wanted != *name) {
            continue;
        }
        match family(folder) {
            Ok(rows) => {
                for row in &rows {
                    passed &= print(row);
                    if explain.is_some() {
                        row.differences.iter().for_each(|difference| println!("  {difference}"));
                    }
                }
            }
            Err(error) => {
                println!("{name:<32} cannot run: {error}");
                passed = false;
            }
        }
    }
    passed
}

/// Prints the line of a family. Returns false when it is below its lowest percentage.
fn print(row: &Row) -> bool {
    let percent = if row.cases == 0 { 0.0 } else { 100.0 * row.passed as f64 / row.cases as f64 };
    println!("{:<32} {:>7} {:>7} {:>7.2}% {:>7.1}%", row.family, row.cases, row.passed, percent, row.floor);
    percent >= row.floor
}
