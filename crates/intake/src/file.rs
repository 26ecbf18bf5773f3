//! Sources that follow files.
//!
//! In: files that grow, rotate and are truncated. Out: their lines, once each. Holds: positions, saved when
//! what was read is acknowledged. Limits: `max-files()` of a wildcard; one window per file.

mod follow;
mod tail;
mod track;
mod wildcard;

pub(crate) use follow::{Following, follow};
pub(crate) use track::Track;
pub(crate) use wildcard::{FollowingAll, follow_all};

use std::path::Path;

/// The folder of a path.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests;
