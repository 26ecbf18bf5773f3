//! What a configuration says about `http()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver.
//! Holds: nothing that runs. Limits: none.

use crate::options::Server;
use message::Render;
use std::{sync::Arc, time::Duration};
use transport::tls::SenderTls;

/// `content-compression()`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compression {
    /// As it is.
    #[default]
    None,
    /// `gzip`
    Gzip,
    /// `deflate`
    Deflate,
}

/// `response-action()`: what an answer means for the messages of its request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResponseAction {
    /// They are delivered.
    Success,
    /// They are dropped and counted.
    Drop,
    /// They are sent again, `retries()` times.
    Retry,
    /// They are sent again, for ever.
    Disconnect,
}

/// `item-results()`: what a successful answer says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ItemResults {
    /// The result of each message, when the address is that of a bulk request; else nothing.
    #[default]
    ByAddress,
    /// The result of each message.
    Always,
    /// Nothing: all messages of the request are taken.
    Never,
}

impl ItemResults {
    /// Says whether the answers of an address have a result for each message.
    pub(crate) fn are_expected(self, url: &str) -> bool {
        match self {
            ItemResults::Always => true,
            ItemResults::Never => false,
            ItemResults::ByAddress => {
                let path = url.split(['?', '#']).next().unwrap_or_default();
                path.trim_end_matches('/').ends_with("/_bulk")
            }
        }
    }
}

/// `http()`.
pub struct HttpTarget {
    /// `url()`: the servers, of which each request goes to one.
    pub urls: Vec<Box<dyn Render>>,
    /// `body-prefix()`
    pub body_prefix: String,
    /// `body-suffix()`
    pub body_suffix: String,
    /// `delimiter()`
    pub delimiter: String,
    /// `batch-lines()`; at least 1.
    pub batch_lines: usize,
    /// `batch-bytes()`; 0 is no limit.
    pub batch_bytes: usize,
    /// `batch-timeout()`: how long a batch waits to become full.
    pub batch_timeout: Option<Duration>,
    /// `workers()`: requests at a time.
    pub workers: usize,
    /// `retries()`
    pub retries: u32,
    /// How long a server that failed is passed over while others are well.
    pub recovery: Duration,
    /// `response-action()`: by status, of answers and of the items in them.
    pub actions: Vec<(u16, ResponseAction)>,
    /// `item-results()`
    pub item_results: ItemResults,
    /// Settings that all its requests share.
    pub settings: Arc<RequestSettings>,
}

/// Bytes of bodies without a limit of their own that are gathered before they are sent.
const GATHERED_BYTES: usize = 8 << 20;
/// And those of bodies with one: enough for all workers, within reason.
const GATHERED_BYTES_MAX: usize = 64 << 20;

impl HttpTarget {
    /// Bytes of messages to gather before requests are made of them.
    pub fn gathered_bytes(&self) -> usize {
        match self.batch_bytes {
            0 => GATHERED_BYTES,
            bytes => bytes.saturating_mul(self.workers).clamp(256 << 10, GATHERED_BYTES_MAX),
        }
    }
}

/// Settings that all requests of a destination share.
#[derive(Clone, Debug)]
pub struct RequestSettings {
    /// `method()`
    pub method: String,
    /// `headers()`, and those of `user()`, `password()` and `user-agent()`.
    pub headers: Vec<(String, String)>,
    /// `content-compression()`
    pub compression: Compression,
    /// `timeout()`
    pub timeout: Duration,
    /// `accept-redirects()`
    pub follows_redirects: bool,
    /// `proxy()`: an HTTP proxy that requests go through.
    pub proxy: Option<Server>,
    /// `tls()`, for servers whose URL begins with `https://`.
    pub tls: SenderTls,
}
