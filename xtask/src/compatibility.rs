//! `docs/compatibility.md`: how close we are to syslog-ng and rsyslog, from runs of the samples.
//!
//! In: the samples' folder. Out: the page: a table of all families, what differs in those whose cases have names, and
//! the drivers that are refused by name.
//! Limits: `DIFFERENCES_MAX` a family, one line each.

use crate::conformance::{self, Row};
use config::tree::Kind;
use std::{fmt::Write, fs, path::Path};

/// Most differences printed of a family; the rest is counted.
const DIFFERENCES_MAX: usize = 40;

/// Longest difference printed, in characters.
const DIFFERENCE_CHARS_MAX: usize = 160;

/// Families whose cases have names of their own; the cases of others are their inputs, which are not ours to print.
const NAMED: &[&str] = &["configs/", "light/", "rsyslog/", "patterndb"];

const INTRODUCTION: &str = "# Compatibility

Made by `cargo xtask compatibility DIR` from runs of the samples in DIR; run it again instead of changing this page.
DIR holds material that others wrote: configurations, messages and what syslog-ng 4.8.1, rsyslog and others made of them.
`cargo xtask conformance DIR --explain FAMILY` shows every difference.

What works differently on purpose is listed in [configuration](manual/configuration.md#where-this-differs-from-syslog-ng); every
option that has no effect or is refused is marked in [the reference](reference/options.md).

| family | cases | equal | percent |
|---|---|---|---|
";

/// Writes the page; false when a family cannot run.
pub(crate) fn run(root: &Path, folder: &Path) -> bool {
    let mut page = String::from(INTRODUCTION);
    let mut details = String::new();
    let mut complete = true;
    for (name, rows) in conformance::rows(folder) {
        match rows {
            Ok(rows) => rows.iter().for_each(|row| add(row, &mut page, &mut details)),
            Err(error) => {
                println!("{name} cannot run: {error}");
                complete = false;
            }
        }
    }
    page.push_str(&details);
    page.push_str("\n## Drivers that are refused by name\n");
    for kind in [Kind::Source, Kind::Destination, Kind::Parser, Kind::Rewrite] {
        let names: Vec<String> =
            config::options::later(kind).iter().map(|name| format!("`{name}()`")).collect();
        if !names.is_empty() {
            push(&mut page, format_args!("\n{}: {}.\n", capital(kind.word()), names.join(", ")));
        }
    }
    let path = root.join("docs/compatibility.md");
    if !complete {
        println!("{} is left as it is", path.display());
        return false;
    }
    fs::write(&path, page).map_err(|error| println!("cannot write {}: {error}", path.display())).is_ok()
}

fn add(row: &Row, page: &mut String, details: &mut String) {
    let percent = 100.0 * row.passed as f64 / row.cases.max(1) as f64;
    push(page, format_args!("| {} | {} | {} | {percent:.2} |\n", row.family, row.cases, row.passed));
    if row.differences.is_empty() || !NAMED.iter().any(|name| row.family.starts_with(name)) {
        return;
    }
    push(details, format_args!("\n## What differs: {}\n\n", row.family));
    for difference in row.differences.iter().take(DIFFERENCES_MAX) {
        let line = difference.split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = line.chars().take(DIFFERENCE_CHARS_MAX).collect();
        push(details, format_args!("- {}\n", short.replace('|', "\\|").replace('<', "&lt;")));
    }
    if row.differences.len() > DIFFERENCES_MAX {
        push(details, format_args!("- and {} more\n", row.differences.len() - DIFFERENCES_MAX));
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect::<String>() + "s")
        .unwrap_or_default()
}

fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes everything");
}
