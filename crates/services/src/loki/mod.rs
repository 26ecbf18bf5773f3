//! `loki()` over gRPC: lines in streams of equal labels.
//!
//! In: labels, times and lines of messages. Out: requests, and what Loki says of them. Holds: a connection.
//! Limits: see [`LokiTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | rows of messages |
//! | `connection` | a request with its rows |

mod connection;
mod receiver;

#[cfg(test)]
mod tests;

pub use connection::MOVED_NS as LOKI_MOVED_NS;
pub use receiver::{LokiReceiver, LokiTarget, LokiTime};
