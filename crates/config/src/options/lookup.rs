//! Looks drivers and options up in the tables.
//!
//! In: a kind of object, a name. Out: rows.

use super::row::{Driver, Row};
use super::tables::{destination, global, parser, rewrite, shared, source};
use crate::tree;

/// Returns the global options.
pub fn global() -> &'static [&'static [Row]] {
    global::OPTIONS
}

/// Returns the options of `parallelize()` in a log path.
pub fn parallelize() -> &'static [&'static [Row]] {
    shared::PARALLELIZE
}

/// Returns the drivers of a kind of object that run.
pub fn drivers(kind: tree::Kind) -> &'static [Driver] {
    match kind {
        tree::Kind::Source => source::DRIVERS,
        tree::Kind::Destination => destination::DRIVERS,
        tree::Kind::Parser => parser::DRIVERS,
        tree::Kind::Rewrite => rewrite::DRIVERS,
        tree::Kind::Filter | tree::Kind::Template => &[],
    }
}

/// Returns the row of a driver.
pub fn driver(kind: tree::Kind, key: &str) -> Option<&'static Driver> {
    drivers(kind).iter().find(|driver| driver.name == key || driver.aliases.contains(&key))
}

/// Returns the row of an option in a list of tables.
pub fn row(tables: &[&'static [Row]], key: &str) -> Option<&'static Row> {
    tables.iter().flat_map(|table| table.iter()).find(|row| row.name == key)
}
