//! Runs the samples of a folder through the crates and prints one row a family.
//!
//! In: the samples' folder. Out: a table; with `--explain FAMILY` also each difference.
//! Limits: a family without its files in the folder fails: what is missing is an error, never a skip.

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
