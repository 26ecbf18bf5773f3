//! Checks of the plan of the house that no compiler makes.
//!
//! In: the tracked files. Out: one line a finding. Limits: see each check.

mod edges;
mod files;
mod functions;
mod modules;
mod words;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A source file of the tree.
pub(crate) struct Source {
    /// Path below the root.
    pub(crate) path: PathBuf,
    /// Its text.
    pub(crate) text: String,
}

/// Runs all checks; false when anything was found.
pub(crate) fn run(root: &Path) -> bool {
    let sources = match sources(root) {
        Ok(sources) => sources,
        Err(error) => {
            println!("tidy: {error}");
            return false;
        }
    };
    let rust: Vec<&Source> =
        sources.iter().filter(|source| source.path.extension().is_some_and(|e| e == "rs")).collect();
    let mut findings = edges::check(root);
    findings.extend(files::check(&rust));
    findings.extend(functions::check(&rust));
    findings.extend(modules::check(&rust));
    findings.extend(words::check(&sources));
    findings.iter().for_each(|finding| println!("tidy: {finding}"));
    println!("tidy: {} files, {} findings", sources.len(), findings.len());
    findings.is_empty()
}

/// The text files that git knows of, those not yet added included.
fn sources(root: &Path) -> Result<Vec<Source>, String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot start git: {error}"))?;
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    let read = |name: &str| {
        let text = fs::read_to_string(root.join(name)).ok()?;
        Some(Source { path: PathBuf::from(name), text })
    };
    Ok(names.lines().filter_map(read).collect())
}
