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
pub(crate) use wildcard::{FollowingAll, follow_all, looks_for};

#[cfg(test)]
mod tests;
