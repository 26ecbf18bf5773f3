//! Leaves out the parts of a configuration that cannot run, so that the rest can.
//!
//! In: a tree and the errors of a round of checks. Out: a tree without the statements and drivers that the errors
//! concern, and without those that need them, and a list of these. Holds: the parts left out so far.
//! A message is never let through where a filter, a parser or a rewrite rule is missing: the whole log path is left
//! out.
//! A missing source or destination affects only itself, and the paths that have no other.
//! Limits: an error that concerns no part that can be left out is not skipped: the configuration stays refused.

mod cut;
mod inside;
mod path;
mod skipping;
mod walk;

#[cfg(test)]
mod tests;

pub use skipping::{LeftOut, Skipping};
