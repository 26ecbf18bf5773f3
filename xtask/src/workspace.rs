//! The folder in which all verbs work.
//!
//! In: nothing. Out: a path.

use std::path::PathBuf;

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let xtask = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().map(PathBuf::from).unwrap_or(xtask)
}
