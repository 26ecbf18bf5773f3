//! The options of `amqp()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the client.
//! Holds: nothing that runs. Limits: none.

use crate::broker::Metadata;
use std::time::Duration;
use transport::{Endpoint, amqp::AmqpLogin};

/// An exchange that a queue is bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AmqpBinding {
    /// `exchange()`
    pub exchange: String,
    /// `routing-key()`
    pub routing_key: String,
}

/// `queue()` and `queue-declare()`
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AmqpQueue {
    /// It has to exist.
    Expected(String),
    /// It is made when it is missing, and bound.
    Made(String, Option<AmqpBinding>),
}

impl AmqpQueue {
    /// Returns its name.
    pub fn name(&self) -> &str {
        match self {
            AmqpQueue::Expected(name) | AmqpQueue::Made(name, _) => name,
        }
    }
}

/// `amqp()`
#[derive(Clone, Debug)]
pub struct AmqpSource {
    /// `host()` and `port()`
    pub server: Endpoint,
    /// `vhost()`
    pub vhost: String,
    /// The login.
    pub login: AmqpLogin,
    /// The queue.
    pub queue: AmqpQueue,
    /// `prefetch()`: most messages that the broker sends without an acknowledgement.
    pub prefetch: u16,
    /// `max-deliveries()`: a message that came back so often is rejected.
    pub deliveries_max: Option<u64>,
    /// `store-metadata()`
    pub metadata: Metadata,
    /// `frame-size()`
    pub frame_bytes: usize,
    /// `heartbeat()`, in seconds; 0 is none.
    pub heartbeat: u16,
    /// `timeout()`: longest wait for an answer.
    pub timeout: Duration,
    /// `time-reopen()`
    pub reopen_after: Duration,
}
