//! The rows: one table for each kind of driver, and the rows that several drivers share.
//!
//! In: nothing. Out: constants.

mod brokers;
pub(super) mod destination;
pub(super) mod global;
mod http;
pub(super) mod later;
mod network;
pub(super) mod parser;
pub(super) mod rewrite;
pub(super) mod shared;
pub(super) mod source;
mod sql;
mod stores;
