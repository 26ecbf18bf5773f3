//! The options of `nats()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the client.
//! Holds: nothing that runs. Limits: none.

use crate::broker::Metadata;
use std::time::Duration;
use transport::{Endpoint, nats::NatsLogin};

/// `deliver-policy()`: where a consumer begins that is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NatsBegin {
    /// With the oldest message of the stream.
    All,
    /// With the newest one.
    Last,
    /// With what is stored from then on.
    New,
}

/// `consumer-create()`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NatsConsumer {
    /// It is made when it is missing.
    Made(NatsBegin),
    /// It has to exist.
    Expected,
}

/// `nats()`
#[derive(Clone, Debug)]
pub struct NatsSource {
    /// `url()`: servers of one cluster.
    pub servers: Vec<Endpoint>,
    /// The login.
    pub login: NatsLogin,
    /// `stream()`; `None` is the one that has the subject.
    pub stream: Option<String>,
    /// `subject()`: a filter of subjects; `None` takes those of the consumer.
    pub subject: Option<String>,
    /// `durable()`: the name of the consumer.
    pub durable: String,
    /// `consumer-create()` and `deliver-policy()`.
    pub consumer: NatsConsumer,
    /// `log-fetch-limit()`: messages of a request.
    pub fetch: usize,
    /// `store-metadata()`
    pub metadata: Metadata,
    /// `timeout()`: longest wait for an answer.
    pub timeout: Duration,
    /// `time-reopen()`
    pub reopen_after: Duration,
}
