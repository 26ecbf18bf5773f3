//! An event: a change of an alert, for one route.
//!
//! In: a record, a route. Out: the same. Holds nothing.

use crate::record::Record;
use watch::Route;

/// An event of a route.
pub(super) struct Event<'a> {
    pub(super) route: &'a Route,
    pub(super) group_key: String,
    pub(super) alert: Option<u64>,
    pub(super) transition: Option<u64>,
    pub(super) record: Record,
}

/// The outcome of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// It waits for its group.
    Waiting,
    /// A silence mutes it.
    Silenced(i64),
    /// Its beginning was not told, so that nobody needs to know of its end.
    Untold,
}
