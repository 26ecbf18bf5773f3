//! Every module says what flows; no file is longer than a reader's patience.
//!
//! In: Rust files. Out: a finding for a file without a module doc, or with more than [`LINES_MAX`] lines of code.

use super::{ratchet::Tally, source::Source, tree::is_test};
use std::{collections::BTreeMap, path::Path};

/// Most lines of code in a file: blank lines and comments do not count. Tables and generated files say so on line one.
const LINES_MAX: usize = 500;

/// Folder and file names that say nothing about what lives there.
const NAMES_THAT_SAY_NOTHING: &[&str] = &["util", "utils", "common", "helpers", "helper", "misc"];

/// Most files of a folder that is not a family.
const FILES_MAX: usize = 12;

/// Folders with more files than a reader can hold, each file above the limit counted.
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

    use super::{FILES_MAX, LINES_MAX, Source, findings, folders};

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
}
