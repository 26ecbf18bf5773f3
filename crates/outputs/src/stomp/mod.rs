//! `stomp()`: each message is sent to a broker over STOMP 1.2.
//!
//! In: templates of texts, selections of headers. Out: frames, and what the broker confirms. Holds: connections.
//! Limits: see [`StompTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | frames of messages |
//! | `connection` | the login, and frames with their receipts |
//! | `verdict` | what an error means |
//! | `options` | what a configuration says |

mod connection;
mod options;
mod receiver;
mod verdict;

#[cfg(test)]
mod tests;

pub use options::{Receipts, StompLogin, StompTarget};
pub use receiver::StompReceiver;
