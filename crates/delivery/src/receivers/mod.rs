//! Systems that answer for each message: databases, brokers, indexes, object stores.
//!
//! `contract` defines what such a system must support; `dead` stores the messages that it will never accept.

pub(crate) mod contract;
pub(crate) mod dead;
