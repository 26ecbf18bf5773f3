//! `collectd()`: each message is a value for collectd, over its unix socket.
//!
//! In: templates of the names and the values. Out: commands, sent without waiting for each other, and what each answer says. Holds: a
//! connection. Limits: see [`CollectdTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | commands of messages |
//! | `connection` | commands with their answers |
//! | `options` | what a configuration says |

mod connection;
mod options;
mod receiver;

#[cfg(test)]
mod tests;

pub use options::CollectdTarget;
pub use receiver::CollectdReceiver;
