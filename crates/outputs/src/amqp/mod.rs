//! `amqp()`: each message is published to a broker, over AMQP 0-9-1.
//!
//! In: templates of routing keys and texts, selections of headers. Out: publications, and what the broker confirms.
//! Holds: connections. Limits: see [`AmqpTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | publications of messages |
//! | `connection` | publications with their confirmations |
//! | `session` | an open connection: login, channel, exchange |
//! | `confirms` | what the broker says of publications |
//! | `verdict` | what an error means |
//! | `options` | what a configuration says |

mod confirms;
mod connection;
mod options;
mod receiver;
mod session;
mod verdict;

#[cfg(test)]
mod tests;

pub use options::{AmqpExchange, AmqpTarget, Unroutable};
pub use receiver::AmqpReceiver;
