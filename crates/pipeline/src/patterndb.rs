//! Pattern databases: they classify messages and extract values, by patterns that rules share.
//!
//! In: a database in XML of versions 2 to 6, once; messages, often. Out: a class, the id of a rule, values and tags;
//! messages that rules make when something happened a number of times, or did not happen in time.
//! Holds: a tree of patterns that never changes, so that all cores search it without a lock; contexts in shards.
//! Limits: each module names its own.

mod classify;
mod find;
mod inspect;
mod intern;
mod load;
mod markup;
mod merge;
mod model;
mod patternize;
mod rules;
mod scan;
mod tree;

pub use classify::{DbOptions, DbParser};
pub use inspect::{Dictionary, SearchStep};
pub use load::FILE_BYTES_MAX;
pub use markup::LoadError;
pub use merge::merge;
pub use model::{Action, Content, Database, Example, Finding, Rate, Rule, TestValue, Trigger};
pub use patternize::{Cluster, PatternizeOptions, ValueNames, patternize};
pub use rules::DbState;

#[cfg(test)]
mod tests;
