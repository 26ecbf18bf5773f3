//! Systems that answer for each message: databases, brokers, indexes, object stores.
//!
//! `contract` says what such a system must be able to do; `dead` keeps the messages that it will never take.

pub(crate) mod contract;
pub(crate) mod dead;
