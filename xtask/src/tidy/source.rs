//! The files that are checked.
//!
//! In: the tree. Out: the text files that git lists. Limits: files that are not UTF-8 are left out.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// A source file of the tree.
pub(crate) struct Source {
    /// Path below the root.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// The text files that git knows of, including those not yet added.
pub(crate) fn read(root: &Path) -> io::Result<Vec<Source>> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| io::Error::other(format!("cannot start git: {error}")))?;
    let names = String::from_utf8_lossy(&listed.stdout).into_owned();
    let source = |name: &str| {
        let text = fs::read_to_string(root.join(name)).ok()?;
        Some(Source { path: PathBuf::from(name), text })
    };
    Ok(names.lines().filter_map(source).collect())
}
