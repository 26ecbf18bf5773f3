//! Turns a checked tree into running parts: sources, the pipeline, destinations and logspaces.
//!
//! In: a configuration. Out: every finding about it, and [`Parts`]: sources, destinations, logspaces and the router
//! between them. Nothing is opened or started here; the owner of the parts does that.
//! Holds: nothing between calls. Limits: those of the language and of the parts.
//!
//! The modules in reading order, each using only earlier ones:
//!
//! | module | holds |
//! |---|---|
//! | `options` | options as they are written: of a driver, global, and the defaults that the version decides |
//! | `parts` | the parts that the result consists of |
//! | `reload_state`, `environment` | the environment of compiling a configuration, and state that survives it |
//! | `lowering` | the state of assembling; each module below adds the methods for its kind of statement |
//! | `expressions` | templates, patterns, filters, selections of values |
//! | `rewrites`, `parsers` | the steps that change messages |
//! | `tls`, `permissions` | options shared by sources and destinations |
//! | `sources`, `destinations` | drivers |
//! | `lookups` | databases of `add-contextual-data()` that are servers, the API server of `kubernetes-metadata-parser()` |
//! | `python` | drivers that run a class in Python |
//! | `logspaces` | logspaces that are written to, and those defined on others |
//! | `paths` | log paths: steps, named objects, labels |
//! | `page` | the page and the API |
//! | `assembly` | the order of assembling, and the result |
//! | `check`, `skipping` | the functions that the rest of the server calls |

mod assembly;
mod check;
mod destinations;
mod environment;
mod expressions;
mod logspaces;
mod lookups;
mod lowering;
mod options;
mod page;
mod parsers;
mod parts;
mod paths;
mod permissions;
mod python;
mod reload_state;
mod rewrites;
mod skipping;
mod sources;
mod tls;

#[cfg(test)]
mod tests;

pub(crate) use assembly::Parts;
pub(crate) use check::{Checked, build, check, check_preprocessed};
pub(crate) use environment::{Environment, machine_name};
pub(crate) use logspaces::names::folder_name;
pub(crate) use parts::{
    counters::NamedCounters,
    database_file::{WatchedDatabase, read as read_database},
    hook::Hook,
    logspace::{FamilySpec, LogspaceSpec, SealingSpec, ViewMember, ViewSpec},
    page_spec::PageSpec,
    periodic_tasks::PeriodicTasks,
    table_file::TableFile,
};
pub(crate) use reload_state::ReloadState;
pub(crate) use skipping::{Reduced, check_skipping};
