//! The options of a listener for HTTP.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the requests.
//! Holds: the budget that all connections share. Limits: these are the limits.

use super::{acks::AckBook, webhook::WebhookOptions};
use std::{sync::Arc, time::Duration};
use tokio::sync::Semaphore;

/// When a request is answered with success.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Acknowledge {
    /// When every destination with flow control has its messages.
    #[default]
    Delivered,
    /// When its messages were forwarded.
    Received,
}

/// The protocols that a listener takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HttpOffer {
    /// All of them: `http()`.
    #[default]
    All,
    /// Only OpenTelemetry's: `opentelemetry()`, whose pairs have the names of syslog-ng's parser.
    OpenTelemetry,
}

/// Options of a listener for HTTP.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The protocols that are taken.
    pub offer: HttpOffer,
    /// `acknowledge()`
    pub acknowledge: Acknowledge,
    /// `tokens()`: what `Authorization` may contain after `Bearer`, `Splunk` or `ApiKey`, or as a password. Empty,
    /// and no users: everyone may send.
    pub tokens: Vec<String>,
    /// `users()`: names and passwords.
    pub users: Vec<(String, String)>,
    /// `max-request-size()`: bytes of a body, packed or not.
    pub body_bytes_max: usize,
    /// `timeout()`: for a body to arrive, for the window to open, for tokens to be released.
    pub timeout: Duration,
    /// `idle-timeout()`: for the head of a request.
    pub idle_timeout: Duration,
    /// `prefix()`: before the names of fields.
    pub prefix: String,
    /// `webhook()`: every request is one message.
    pub webhook: Option<WebhookOptions>,
    pub(crate) budget: Arc<Semaphore>,
    pub(crate) book: AckBook,
}

/// Bytes per permit.
pub(crate) const BUDGET_UNIT: usize = 1 << 10;

impl HttpOptions {
    /// The defaults, with `max-bytes-in-work()`: bytes of bodies that all connections hold together.
    pub fn new(bytes_in_work: usize) -> HttpOptions {
        HttpOptions {
            offer: HttpOffer::default(),
            acknowledge: Acknowledge::default(),
            tokens: Vec::new(),
            users: Vec::new(),
            body_bytes_max: 64 << 20,
            timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(60),
            prefix: String::new(),
            webhook: None,
            budget: Arc::new(Semaphore::new(bytes_in_work.div_ceil(BUDGET_UNIT).max(1))),
            book: AckBook::default(),
        }
    }
}
