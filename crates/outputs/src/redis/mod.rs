//! `redis()`: each message is a command to Redis, Valkey or another server that speaks RESP.
//!
//! In: templates of arguments. Out: commands, sent without waiting for each other, and what each reply says. Holds: a
//! connection. Limits: see [`RedisTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | commands of messages |
//! | `connection` | the login, and commands with their replies |
//! | `replies` | the replies to some commands |
//! | `reader` | values that are read |
//! | `verdict` | what an error means |
//! | `options` | what a configuration says |

mod connection;
mod options;
mod reader;
mod receiver;
mod replies;
mod verdict;

#[cfg(test)]
mod tests;

pub use options::{RedisLogin, RedisTarget};
pub use reader::{ReadValueError, RedisReader, RedisSource, RedisValue};
pub use receiver::RedisReceiver;
