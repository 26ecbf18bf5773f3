//! Logspaces of a name with macros, such as `log-$HOST`: a family of logspaces, one for each text that the name comes to.
//!
//! In: deliveries of log paths. Out: the same messages, delivered to the logspace of each. Holds: the open logspaces.
//! Limits: `logspaces-max()` logspaces; messages of further names go to one that all of them share.
//!
//! Modules in reading order, the lowest last:
//! - `family`: the outlet that log paths end in, and the thread behind it.
//! - `sorter`: finds the logspace of each message, on that thread.
//! - `members`: the open logspaces.
//! - `inbox`: the queue before the thread.

mod family;
mod inbox;
mod members;
mod sorter;

pub(super) use family::{Family, Surroundings};
pub(in crate::daemon) use members::FamilyStats;
pub(super) use members::{FamilyLogspace, Members};

#[cfg(test)]
mod tests;
