//! Every driver and every option that the language knows, one row each.
//!
//! In: nothing. Out: the tables that the check walks and that the reference page is made from.
//! Holds: constants. A row says whether an option is honoured, has no effect here, or is not supported yet.

mod destination;
mod global;
mod kind;
mod later;
mod network;
mod parser;
mod reference;
mod rewrite;
mod row;
mod shared;
mod source;

use crate::tree;
pub use kind::{Misfit, ValueKind};
pub use reference::reference;
pub use row::{Driver, Plain, Row, Standing};

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

/// Drivers of the language that do not run yet.
pub fn later(kind: tree::Kind) -> &'static [&'static str] {
    later::names(kind)
}

/// Returns the row of an option in a list of tables.
pub fn row(tables: &[&'static [Row]], key: &str) -> Option<&'static Row> {
    tables.iter().flat_map(|table| table.iter()).find(|row| row.name == key)
}

/// Returns true when `@requires NAME` is met: what the module of this name provides is built in.
pub fn has_module(name: &str) -> bool {
    const MODULES: &[&str] = &[
        "add-contextual-data",
        "affile",
        "afprog",
        "afsmtp",
        "afsnmp",
        "afsocket",
        "afstreams",
        "afuser",
        "appmodel",
        "basicfuncs",
        "cef",
        "correlation",
        "cryptofuncs",
        "csvparser",
        "dbparser",
        "disk-buffer",
        "geoip2-plugin",
        "graphite",
        "grok",
        "hook-commands",
        "http",
        "json-plugin",
        "kvformat",
        "linux-kmsg-format",
        "map-value-pairs",
        "metrics-probe",
        "pacctformat",
        "pseudofile",
        "rate-limit-filter",
        "regexp-parser",
        "sdjournal",
        "secure-logging",
        "stardate",
        "syslogformat",
        "system-source",
        "tags-parser",
        "tfgetent",
        "timestamp",
        "xml",
    ];
    MODULES.contains(&crate::words::keyword(name).as_str())
}
