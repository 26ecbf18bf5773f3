//! Systems that answer for each message: databases, brokers, indexes, object stores.
//!
//! `contract` defines what such a system must support. `staging` is what a system has without having it for good, as
//! `sequences`. `partitioned` gives messages keys; `failure` and `verdicts` are what the code for one system makes its
//! judgements from, and `testing` shows them in tests.

pub(crate) mod contract;
pub mod failure;
pub(crate) mod partitioned;
pub(crate) mod sequences;
pub(crate) mod staging;
#[cfg(feature = "testing")]
pub mod testing;
pub mod verdicts;
