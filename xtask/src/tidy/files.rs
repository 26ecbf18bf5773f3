//! Limits of files: each has a header comment, and none is too long.
//!
//! In: Rust files. Out: a finding for a file without a module doc, or with more than [`LINES_MAX`] lines of code; tallies
//! of folders with many files and of crates with many lines.

use super::{ratchet::Tally, source::Source, tree::is_test};
use std::{collections::BTreeMap, path::Path};

/// Most lines of code in a file: blank lines and comments do not count. Tables and generated files say so on line one.
const LINES_MAX: usize = 500;

/// Folder and file names that say nothing about their contents.
const NAMES_THAT_SAY_NOTHING: &[&str] = &["util", "utils", "common", "helpers", "helper", "misc"];

/// Most files of a folder that is not a family.
const FILES_MAX: usize = 12;

/// Most lines of a library, comments and blank lines included.
const CRATE_LINES_MAX: usize = 13_000;
/// Lines above that which count as one finding.
const CRATE_STEP: usize = 1_000;
/// Folder of the tables of options.
const OPTION_TABLES: &str = "crates/config/src/options";

/// Folders with more files than a reader can keep in mind; each file above the limit counts.
pub(crate) fn folders(sources: &[&Source]) -> Tally {
    let mut files: BTreeMap<&Path, usize> = BTreeMap::new();
    for folder in
        sources.iter().filter(|source| !is_test(&source.path)).filter_map(|source| source.path.parent())
    {
        *files.entry(folder).or_default() += 1;
    }
    let mut tally = Tally::default();
    for (folder, count) in files {
        (FILES_MAX..count).for_each(|above| tally.add(folder.to_string_lossy(), above + 1));
    }
    tally
}

/// Libraries that are too large for one person to know; each started thousand of lines above the limit
/// counts. Tests, tables, generated files and the program itself are left out.
pub(crate) fn crates(sources: &[&Source]) -> Tally {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources.iter().filter(|source| !is_test(&source.path) && !is_exempt(source)) {
        let path = source.path.to_str().unwrap_or_default();
        let inside = path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"));
        if let Some((name, _)) = inside {
            *lines.entry(name).or_default() += source.text.lines().count();
        }
    }
    let programs: Vec<&str> = sources
        .iter()
        .filter_map(|source| source.path.to_str()?.strip_prefix("crates/")?.strip_suffix("/src/main.rs"))
        .collect();
    let mut tally = Tally::default();
    for (name, count) in lines.into_iter().filter(|(name, _)| !programs.contains(name)) {
        let above = count.saturating_sub(CRATE_LINES_MAX).div_ceil(CRATE_STEP);
        (0..above).for_each(|_| tally.add(format!("crates/{name}"), format!("{count} lines")));
    }
    tally
}

/// Returns true for tables and generated files: they say so on line one, or lie where only tables do.
fn is_exempt(source: &Source) -> bool {
    let first = source.text.lines().next().unwrap_or_default();
    first.contains("Table:") || first.contains("Generated") || source.path.starts_with(OPTION_TABLES)
}

/// Findings of all files.
pub(crate) fn check(sources: &[&Source]) -> Vec<String> {
    sources.iter().flat_map(|source| findings(source)).collect()
}

fn findings(source: &Source) -> Vec<String> {
    let path = source.path.display();
    let mut findings = Vec::new();
    let first = source.text.lines().next().unwrap_or_default();
    if !first.starts_with("//!") {
        findings.push(format!("{path}:1: no module doc: say what flows in and out"));
    }
    let code =
        source.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count();
    let exempt = first.contains("Table:") || first.contains("Generated");
    if code > LINES_MAX && !exempt {
        findings.push(format!("{path}: {code} lines of code, at most {LINES_MAX}: split it by noun"));
    }
    let silent = source.path.iter().filter_map(|part| part.to_str()).map(|part| part.trim_end_matches(".rs"));
    for part in silent.filter(|part| NAMES_THAT_SAY_NOTHING.contains(part)) {
        findings.push(format!("{path}: `{part}` says nothing: name the noun that lives there"));
    }
    findings
}

#[cfg(test)]
mod tests {
    //! Rows for the files' checks.

    use super::{CRATE_LINES_MAX, FILES_MAX, LINES_MAX, Source, crates, findings, folders};

    #[track_caller]
    fn check(path: &str, text: &str, want: usize) {
        let found = findings(&Source { path: path.into(), text: text.into() });
        assert_eq!(found.len(), want, "{found:?}");
    }

    #[test]
    fn asks_for_docs_names_and_length() {
        check("crates/a/src/b.rs", "//! Says what flows.\n", 0);
        check("crates/a/src/b.rs", "use std::fs;\n", 1);
        check("crates/a/src/util.rs", "//! Doc.\n", 1);
        check("crates/a/src/b.rs", &format!("//! Doc.\n{}", "x();\n".repeat(LINES_MAX + 1)), 1);
        check("crates/a/src/b.rs", &format!("//! Table: of x.\n{}", "x();\n".repeat(LINES_MAX + 1)), 0);
    }
    #[test]
    fn counts_files_of_a_folder() {
        let file =
            |name: usize| Source { path: format!("crates/a/src/b/{name}.rs").into(), text: String::new() };
        let sources: Vec<Source> = (0..FILES_MAX + 2).map(file).collect();
        assert_eq!(folders(&sources.iter().collect::<Vec<_>>()).total(), 2);
        assert_eq!(folders(&sources[2..].iter().collect::<Vec<_>>()).total(), 0);
    }

    #[test]
    fn counts_lines_of_a_library() {
        let row = |files: &[(&str, usize)], want: usize| {
            let file = |(path, lines): &(&str, usize)| Source {
                path: (*path).into(),
                text: format!("//! Doc.\n{}", "x\n".repeat(*lines)),
            };
            let sources: Vec<Source> = files.iter().map(file).collect();
            assert_eq!(crates(&sources.iter().collect::<Vec<_>>()).total(), want, "{files:?}");
        };
        let (half, whole) = (CRATE_LINES_MAX / 2, CRATE_LINES_MAX);
        row(&[("crates/a/src/b.rs", half), ("crates/a/src/c.rs", half - 2)], 0);
        row(&[("crates/a/src/b.rs", half), ("crates/a/src/c.rs", half)], 1);
        row(&[("crates/a/src/b.rs", half), ("crates/a/src/b/tests.rs", whole)], 0);
        row(&[("crates/a/src/b.rs", whole + 1500)], 2);
        row(&[("crates/a/src/b.rs", whole + 1500), ("crates/a/src/main.rs", 1)], 0);
        row(&[("crates/config/src/options/udp.rs", whole + 1500)], 0);
    }
}
