//! The counters of the running server, and the forms in which they are shown.

mod collector;
mod logspaces;
mod lookups;
mod statistics;

pub(crate) use collector::Collector;
pub(crate) use statistics::{Account, csv, names, names_and_values, prometheus, query_sum};
