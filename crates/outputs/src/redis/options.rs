//! What a configuration says about `redis()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver.
//! Holds: nothing that runs. Limits: none.

use crate::link::Endpoint;
use delivery::Batches;
use message::Render;
use std::time::Duration;

/// `redis()`.
pub struct RedisTarget {
    /// The server.
    pub server: Endpoint,
    /// How to log in.
    pub login: RedisLogin,
    /// The name of the command.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<Box<dyn Render>>,
    /// `timeout()`: longest wait for the next reply.
    pub timeout: Duration,
    /// How commands are gathered.
    pub batches: Batches,
}

/// Says who we are, and which database we use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RedisLogin {
    /// `username()`: a user of the access control lists.
    pub user: Option<String>,
    /// `auth()`
    pub password: Option<String>,
    /// `database()`
    pub database: Option<u32>,
}
