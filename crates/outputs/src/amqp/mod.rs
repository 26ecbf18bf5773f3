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
//! | `method` | methods and properties as bytes |
//! | `frame` | frames and values as bytes |
//! | `options` | what a configuration says |

mod confirms;
mod connection;
mod frame;
mod method;
mod options;
mod receiver;
mod session;
mod verdict;

#[cfg(test)]
mod tests;

pub use options::{AmqpExchange, AmqpLogin, AmqpTarget, Durability, Unroutable};
pub use receiver::AmqpReceiver;
