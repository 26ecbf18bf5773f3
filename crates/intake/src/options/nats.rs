//! The options of `nats()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the client.
//! Holds: nothing that runs. Limits: none.

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

/// `store-metadata()`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Metadata {
    /// Messages have values that say where they come from.
    Stored,
    /// They have not.
    LeftOut,
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

impl NatsSource {
    /// Names the server and what is read: the third column of its counters.
    pub(crate) fn instance(&self) -> String {
        let server = self.servers.iter().map(|server| format!("{}:{}", server.host, server.port));
        let server = server.collect::<Vec<_>>().join(",");
        let what = self.stream.as_ref().or(self.subject.as_ref()).map_or("", String::as_str);
        format!("nats,source,{server},{what},{}", self.durable)
    }

    /// Describes everything that a connection has from its start: any change makes a new one.
    pub(crate) fn identity(&self) -> String {
        let tls: Vec<_> =
            self.servers.iter().map(|server| server.tls.as_ref().map(|tls| &tls.options)).collect();
        let NatsSource { login, stream, subject, consumer, fetch, metadata, .. } = self;
        let what = format!("{stream:?} {subject:?} {consumer:?} {fetch} {metadata:?}");
        format!("{} {login:?} {what} {tls:?} {:?} {:?}", self.instance(), self.timeout, self.reopen_after)
    }
}
