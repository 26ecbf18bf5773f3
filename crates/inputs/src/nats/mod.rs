//! `nats()`: messages of a stream of JetStream, by a durable consumer that is asked for them.
//!
//! In: messages. Out: batches. Holds: a connection for each source. Limits: the window of the source; no more is asked for than
//! it has room for, but for one request.
//!
//! | module | what it does |
//! |---|---|
//! | `source` | the contract with the set of sources |
//! | `reader` | login, requests, messages, acknowledgements |
//! | `setup` | finds the stream and the consumer |
//! | `acks` | what to say of each delivery, and when |
//! | `opening` | greeting and encryption |
//! | `packets` | lines and messages of a connection, of which long ones are cut |
//! | `options` | what a configuration says |

mod acks;
mod opening;
mod options;
mod packets;
mod reader;
mod setup;
mod source;

#[cfg(test)]
mod tests;

pub use options::{NatsBegin, NatsConsumer, NatsSource};
