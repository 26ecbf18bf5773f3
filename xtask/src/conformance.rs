//! Runs the samples of a folder through the crates and prints one row for each family.
//!
//! In: the samples' folder. Out: a table; with `--explain FAMILY` also each difference.
//! Limits: a family whose files are missing from the folder fails; it is never skipped.

mod decoding;
mod error;
mod lucene;
mod processing;
mod program;
mod records;
mod row;
mod run;

pub(crate) use row::Row;
pub(crate) use run::{rows, run};
