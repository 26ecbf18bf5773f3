//! Checks the meaning of a tree: resolves names, and looks up drivers and options.
//!
//! In: a [`Tree`](crate::tree::Tree). Out: findings, added to the report of the parser.

mod advice;
mod calls;
mod cycles;
mod names;
mod paths;
mod statements;

pub use advice::advise;
pub use statements::check;
