//! `nats()`: each message is published to a NATS server, and stored by JetStream.
//!
//! In: templates of subjects and texts. Out: publications, and what the server acknowledges. Holds: a connection.
//! Limits: see [`NatsTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | publications of messages |
//! | `subject` | names of subjects |
//! | `connection` | publications with their acknowledgements |
//! | `session` | an open connection: greeting, encryption, login |
//! | `protocol` | lines and texts as bytes |
//! | `verdict` | what an error means |
//! | `options` | what a configuration says |

mod connection;
mod options;
mod protocol;
mod receiver;
mod session;
mod subject;
mod verdict;

#[cfg(test)]
mod tests;

pub use options::{NatsStorage, NatsTarget};
pub use receiver::NatsReceiver;
pub use subject::{SubjectError, check as check_subject};
