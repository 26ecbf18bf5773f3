//! The options of `nats()`.
//!
//! In: values that were checked when the configuration was read. Out: the same values, for the driver. Holds:
//! options only. Limits: none.

use crate::link::Endpoint;
use delivery::Batches;
use message::Render;
use std::time::Duration;
use transport::nats::NatsLogin;

/// `jetstream()`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NatsStorage {
    /// `yes`: a stream stores each publication and acknowledges it.
    Stream,
    /// `no`: only current subscribers get it. A ping after each batch checks that the server has read it.
    Nobody,
}

/// `nats()`.
pub struct NatsTarget {
    /// `url()`
    pub server: Endpoint,
    /// The login.
    pub login: NatsLogin,
    /// `subject()`
    pub subject: Box<dyn Render>,
    /// `template()`
    pub text: Box<dyn Render>,
    /// `jetstream()`
    pub storage: NatsStorage,
    /// `timeout()`: longest wait for the next acknowledgement.
    pub timeout: Duration,
    /// How publications are gathered.
    pub batches: Batches,
}
