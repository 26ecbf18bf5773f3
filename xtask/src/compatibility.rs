//! `docs/compatibility.md`: how close we are to syslog-ng and rsyslog, from runs of the samples.
//!
//! In: the samples' folder. Out: the page: a table of all families, what differs in those whose cases have names
//! (without times, so that two runs of the same code write the same page), and the drivers that are refused by name.
//! Limits: `DIFFERENCES_MAX` differences for each family, one line each.

use crate::conformance::{self, Row};
use config::tree::Kind;
use std::{fmt::Write, fs, path::Path};

/// Most differences printed of a family; the rest is counted.
const DIFFERENCES_MAX: usize = 40;

/// Longest difference printed, in characters.
const DIFFERENCE_CHARS_MAX: usize = 160;

/// Forms of a time, where `0` stands for any digit.
const DATE_TIME: &[u8] = b"0000-00-00T00:00:00";
const OFFSET: &[u8] = b"00:00";

/// Digits of seconds since 1970, from 2001 to 2286.
const SECONDS_DIGITS: usize = 10;

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
        let short: String = without_times(&line).chars().take(DIFFERENCE_CHARS_MAX).collect();
        push(details, format_args!("- {}\n", short.replace('|', "\\|").replace('<', "&lt;")));
    }
    if row.differences.len() > DIFFERENCES_MAX {
        push(details, format_args!("- and {} more\n", row.differences.len() - DIFFERENCES_MAX));
    }
}

/// Replaces times with a word: some differences contain the time of the run, and would change with every run.
fn without_times(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut last = None;
    while let Some(first) = rest.chars().next() {
        let time = time_length(rest.as_bytes()).filter(|_| !last.is_some_and(|c: char| c.is_ascii_digit()));
        let length = time.unwrap_or(first.len_utf8());
        out.push_str(if time.is_some() { "TIME" } else { &rest[..length] });
        last = rest[..length].chars().next_back();
        rest = &rest[length..];
    }
    out
}

/// Returns the length of the time that a text begins with: RFC 3339, or ten digits of seconds since 1970.
fn time_length(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| text.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    let fraction = |end: usize| match text.get(end) {
        Some(b'.') if digits(end + 1) > 0 => end + 1 + digits(end + 1),
        _ => end,
    };
    if digits(0) == SECONDS_DIGITS {
        return Some(fraction(SECONDS_DIGITS));
    }
    fits(text, DATE_TIME).then_some(())?;
    let end = fraction(DATE_TIME.len());
    let zone = text.get(end..).unwrap_or_default();
    Some(match zone.first() {
        Some(b'Z') => end + 1,
        Some(b'+' | b'-') if fits(zone.get(1..).unwrap_or_default(), OFFSET) => end + 1 + OFFSET.len(),
        _ => end,
    })
}

/// Compares the beginning of a text with a form in which `0` stands for any digit.
fn fits(text: &[u8], form: &[u8]) -> bool {
    text.len() >= form.len()
        && form
            .iter()
            .zip(text)
            .all(|(form, byte)| if *form == b'0' { byte.is_ascii_digit() } else { form == byte })
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

#[cfg(test)]
mod tests {
    //! Rows for what the page leaves out.

    use super::without_times;

    #[track_caller]
    fn check(text: &str, want: &str) {
        assert_eq!(without_times(text), want);
    }

    #[test]
    fn leaves_out_times() {
        check("at=2026-11-23T13:03:47.045734+00:00 end", "at=TIME end");
        check("2026-11-23T13:03:47Z, 2026-11-23T13:03:47-0", "TIME, TIME-0");
        check("1795439027 1795439027.5 \u{e9}1795439027", "TIME TIME \u{e9}TIME");
        check("17954390271 179543902 2026-11-23 10:00:00", "17954390271 179543902 2026-11-23 10:00:00");
    }
}
