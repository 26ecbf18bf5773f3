//! `nrdp()`: each message is the result of a check for Nagios, by way of its Remote Data Processor.
//!
//! In: templates of the host, the service, the state and the output. Out: requests of many results, and what their answers say. Holds:
//! a connection. Limits: see [`NrdpTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | results of messages |
//! | `check` | a result in JSON |
//! | `connection` | a request for a batch |
//! | `verdict` | what an answer means |
//! | `options` | what a configuration says |

mod check;
mod connection;
mod options;
mod receiver;
mod verdict;

#[cfg(test)]
mod tests;

pub use options::NrdpTarget;
pub use receiver::NrdpReceiver;
