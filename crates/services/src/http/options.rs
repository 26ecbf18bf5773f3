//! The options of `http()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver.
//! Holds: nothing that runs. Limits: none.

use super::{form::AnswerForm, header_class::PythonHeader};
use delivery::{Batches, Server, failure::Failure};
use message::Render;
use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};
use transport::tls::SenderTls;

/// `content-compression()`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Compression {
    /// Not compressed.
    #[default]
    None,
    /// `gzip`
    Gzip,
    /// `deflate`
    Deflate,
}

/// `response-action()`: the meaning of an answer for the messages of its request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResponseAction {
    /// They are delivered.
    Success,
    /// They are dropped and counted.
    Drop,
    /// They are sent again, `retries()` times; then they are dead letters.
    Retry,
    /// They are sent again, forever.
    Disconnect,
}

/// `item-results()`: how to read a successful answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ItemResults {
    /// The result of each message, when the address is one whose answers are known; else nothing.
    #[default]
    ByAddress,
    /// The result of each message.
    Always,
    /// Nothing: all messages of the request are taken.
    Never,
}

impl ItemResults {
    /// Returns the form of the answers of an address.
    pub(super) fn form(self, url: &str) -> AnswerForm {
        match (self, AnswerForm::of_address(url)) {
            (ItemResults::Never, _) => AnswerForm::Status,
            (ItemResults::Always, AnswerForm::Status) => AnswerForm::Bulk,
            (_, form) => form,
        }
    }
}

/// `item-ids()`: the `_id` of a document whose action has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ItemIds {
    /// It is the id of the message, so that a request that is sent again stores nothing twice.
    #[default]
    OfMessages,
    /// The server makes one.
    OfServer,
}

/// `index-template()` and `rollover()`: what is set up in Elasticsearch or OpenSearch before the first document.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct IndexSetup {
    /// Names of index templates, as a path has them, and their JSON.
    pub templates: Vec<(String, String)>,
    /// `rollover()`
    pub rollover: Option<Rollover>,
}

/// `rollover()`: when a new index takes the place of the one that is written to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rollover {
    /// The name that is written to.
    pub target: RolloverTarget,
    /// The body of the request: its conditions as JSON.
    pub conditions: String,
    /// Least time between two requests.
    pub every: Duration,
}

/// The name behind which indexes are exchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RolloverTarget {
    /// An alias; its first index gets the name with `-000001`.
    Alias(String),
    /// A data stream, which the first document makes.
    DataStream(String),
}

impl RolloverTarget {
    /// Returns the name, as a path has it.
    pub fn name(&self) -> &str {
        match self {
            RolloverTarget::Alias(name) | RolloverTarget::DataStream(name) => name,
        }
    }
}

/// A future header.
pub type Authorization<'a> = Pin<Box<dyn Future<Output = Result<String, Failure>> + Send + 'a>>;

/// Gives requests the header `Authorization`.
pub trait Authorize: Send + Sync + fmt::Debug {
    /// Returns the value of the header, or what becomes of the messages without one.
    fn authorization(&self) -> Authorization<'_>;

    /// Tells that a server refused the last value.
    fn forget(&self);
}

/// `http()`.
pub struct HttpTarget {
    /// `url()`: the servers, of which each request goes to one.
    pub urls: Vec<Box<dyn Render>>,
    /// `body()`
    pub body: Box<dyn Render>,
    /// `body-prefix()`
    pub body_prefix: String,
    /// `body-suffix()`
    pub body_suffix: String,
    /// `delimiter()`
    pub delimiter: String,
    /// How messages are gathered in requests; `retries()` counts attempts after an error of the server.
    pub batches: Batches,
    /// How long a server that failed is skipped while others work.
    pub recovery: Duration,
    /// `response-action()`: by status, of answers and of the items in them.
    pub actions: Vec<(u16, ResponseAction)>,
    /// `item-results()`
    pub item_results: ItemResults,
    /// `item-ids()`
    pub item_ids: ItemIds,
    /// For a service that takes equal messages of one time for one: where the nine digits of nanoseconds begin in the text of each
    /// message, and less than how many nanoseconds they may move. Then no message has an id of its own.
    pub times: Option<(usize, u64)>,
    /// `cloud-auth()`
    pub auth: Option<Box<dyn Authorize>>,
    /// `python-http-header()`
    pub header_class: Option<PythonHeader>,
    /// `index-template()` and `rollover()`
    pub indexes: IndexSetup,
    /// `use-ack()`: requests are acknowledged by the indexers of Splunk; `None` asks for no acknowledgement.
    pub acks: Option<AckOptions>,
    /// Settings that all its requests share.
    pub settings: Arc<RequestSettings>,
}

/// `use-ack()`: when the indexers of Splunk are asked for acknowledgements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AckOptions {
    /// `ack-timeout()`: longest wait, after which messages are sent again.
    pub within: Duration,
    /// The pause before the first question; later ones are longer.
    pub asked_after: Duration,
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
