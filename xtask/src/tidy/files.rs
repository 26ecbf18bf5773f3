//! Every module says what flows; no file is longer than a reader's patience.
//!
//! In: Rust files. Out: a finding for a file without a module doc, or with more than [`LINES_MAX`] lines of code.

use super::Source;

/// Most lines of code in a file: blank lines and comments do not count. Tables and generated files say so on line one.
const LINES_MAX: usize = 500;

/// Folder and file names that say nothing about what lives there.
const NAMES_THAT_SAY_NOTHING: &[&str] = &["util", "utils", "common", "helpers", "helper", "misc"];

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

    use super::{LINES_MAX, Source, findings};

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
}
