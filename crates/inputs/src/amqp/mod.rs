//! `amqp()`: messages of a queue of RabbitMQ, over AMQP 0-9-1.
//!
//! In: messages. Out: batches. Holds: a connection for each source. Limits: `prefetch()`, and the window of the source.
//!
//! | module | what it does |
//! |---|---|
//! | `source` | the contract with the set of sources |
//! | `consumer` | acknowledgements, heartbeats, the end of a connection |
//! | `login` | the way to a queue that is read: login, channel, queue |
//! | `contents` | frames become messages, of which long ones are cut |
//! | `tags` | which delivery is which message, also over another connection |
//! | `options` | what a configuration says |

mod consumer;
mod contents;
mod login;
mod options;
mod source;
mod tags;

#[cfg(test)]
mod tests;

pub use options::{AmqpBinding, AmqpQueue, AmqpSource};
