//! The options of `webhook()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the requests.
//! Holds: compiled expressions. Limits: [`PATTERN_BYTES_MAX`] of a compiled expression.

use hyper::header::HeaderName;
use regex::{Regex, RegexBuilder};

/// Most bytes that a compiled expression takes.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// An expression for a whole path. Its named groups become values.
#[derive(Clone, Debug)]
pub struct PathPattern(pub(crate) Regex);

impl PathPattern {
    /// Compiles an expression.
    pub fn parse(text: &str) -> Result<PathPattern, regex::Error> {
        RegexBuilder::new(&format!("^(?:{text})$")).size_limit(PATTERN_BYTES_MAX).build().map(PathPattern)
    }
}

/// The header in which a trusted proxy names its client.
#[derive(Clone, Debug)]
pub struct ClientHeader(pub(crate) HeaderName);

impl ClientHeader {
    /// Reads a name; `None` when no header can have it.
    pub fn parse(name: &str) -> Option<ClientHeader> {
        HeaderName::from_bytes(name.as_bytes()).ok().map(ClientHeader)
    }
}

/// The kind of bodies.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WebhookContent {
    /// Any text.
    #[default]
    Any,
    /// A JSON object.
    Json,
}

/// `include-request-headers()`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RequestHeaders {
    /// They are no values.
    #[default]
    LeftOut,
    /// All of them but credentials are one value, an object of JSON.
    Stored,
}

/// `webhook()`
#[derive(Clone, Debug, Default)]
pub struct WebhookOptions {
    /// `paths()`; empty: every path.
    pub paths: Vec<PathPattern>,
    /// The kind of bodies.
    pub content: WebhookContent,
    /// `include-request-headers()`
    pub headers: RequestHeaders,
    /// `proxy-header()`
    pub proxy_header: Option<ClientHeader>,
}
