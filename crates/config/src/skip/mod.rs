//! Leaves out of a configuration what cannot be run, so that the rest can.
//!
//! In: a tree and the errors of a round of checks. Out: a tree without the statements and drivers that the errors are
//! about and without what needs them, and a list of what is left out. Holds: what was left out so far.
//! A message is never let through where a filter, a parser or a rewrite rule is missing: the whole log path goes.
//! A source or a destination that is missing takes only itself away, and the paths that have no other.
//! Limits: an error that belongs to nothing that can be left out is not skipped: the configuration stays refused.

mod cut;
mod inside;
mod path;
mod skipping;
mod walk;

#[cfg(test)]
mod tests;

pub use skipping::{LeftOut, Skipping};
