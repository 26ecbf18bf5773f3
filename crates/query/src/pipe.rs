//! Runs pipes over the messages that a query found.
//!
//! In: stages, messages of a snapshot. Out: rows, as messages or as a table whose columns are known before it runs.
//! Holds: the groups, keys and rows of one run.
//! Limits: [`table::group::GROUPS_MAX`] groups, [`sort::ROWS_MAX`] rows of a sort; notes report what was left out.
//! Percentiles are within one percent, distinct counts above ten thousand within two.

mod columns;
mod extract;
mod merge;
mod run;
mod sort;
mod stages;
mod step;
mod steps;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use stages::stream_found;
pub use stages::{Outcome, stream};
