//! What a configuration says about `nats()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver.
//! Holds: nothing that runs. Limits: none.

use crate::link::Endpoint;
use message::Render;
use std::time::Duration;

/// `jetstream()`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NatsStorage {
    /// `yes`: a stream stores each publication and says so.
    Stream,
    /// `no`: who listens gets it. That the server lives is asked behind each batch.
    Nobody,
}

/// Says who we are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NatsLogin {
    /// `username()`
    pub user: Option<String>,
    /// `password()`
    pub password: Option<String>,
    /// `token()`
    pub token: Option<String>,
}

/// `nats()`.
pub struct NatsTarget {
    /// `url()`
    pub server: Endpoint,
    /// How to log in.
    pub login: NatsLogin,
    /// `subject()`
    pub subject: Box<dyn Render>,
    /// `template()`
    pub text: Box<dyn Render>,
    /// `jetstream()`
    pub storage: NatsStorage,
    /// `timeout()`: longest wait for the next acknowledgement.
    pub timeout: Duration,
    /// `batch-lines()`: publications that are sent without waiting for each other.
    pub batch_lines: usize,
    /// `batch-bytes()`: most bytes of them; 0 is no limit.
    pub batch_bytes: usize,
    /// `batch-timeout()`
    pub batch_wait: Option<Duration>,
    /// `workers()`
    pub workers: usize,
    /// `retries()` when it is written.
    pub retries: Option<u32>,
}
