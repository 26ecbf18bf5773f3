//! The options that all destinations over gRPC have.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver. Holds: nothing that runs.
//! Limits: none.

use super::status::GrpcStatus;
use crate::http::{Compression, ResponseAction};
use message::{Batch, Render, Stamp};
use std::{fmt, time::Duration};
use transport::Endpoint;

/// `keep-alive()`: pings on a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeepAlive {
    /// `time()`: how often, also while nothing is sent.
    pub every: Duration,
    /// `timeout()`: how long an answer may take.
    pub timeout: Duration,
}

/// Settings of a destination over gRPC.
pub struct GrpcSettings {
    /// The host and port of `url()`, and the TLS of `auth()`, which must offer `h2`: servers of gRPC refuse clients without it.
    pub endpoint: Endpoint,
    /// `headers()` that are the same for all messages.
    pub headers: Vec<(String, String)>,
    /// `compression()`: none or gzip.
    pub compression: Compression,
    /// `timeout()`
    pub timeout: Duration,
    /// `keep-alive()`
    pub keep_alive: Option<KeepAlive>,
    /// `response-action()`
    pub actions: Vec<(GrpcStatus, ResponseAction)>,
    /// `retries()` is written: errors of the server are not borne without end.
    pub bounds_errors: bool,
}

impl GrpcSettings {
    /// Returns host and port as a URL has them.
    pub(crate) fn authority(&self) -> String {
        let Endpoint { host, port, .. } = &self.endpoint;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

/// Values of headers may be secrets.
impl fmt::Debug for GrpcSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        write!(f, "{} {} {names:?} {:?} ", self.authority(), self.endpoint.tls.is_some(), self.compression)?;
        write!(f, "{:?} {:?} {:?} {}", self.timeout, self.keep_alive, self.actions, self.bounds_errors)
    }
}

/// `headers()` whose values depend on the message: messages with other values are sent in other requests.
#[derive(Default)]
pub(crate) struct RenderedHeaders(pub(crate) Vec<(String, Box<dyn Render>)>);

impl RenderedHeaders {
    pub(crate) fn begin(&mut self, now: Stamp) {
        self.0.iter_mut().for_each(|(_, value)| value.begin(now));
    }

    /// Appends the values of a message, each on a line.
    pub(crate) fn render(&mut self, (batch, index): (&Batch, usize), sequence: u64, group: &mut String) {
        let mut value = Vec::new();
        for (place, (_, template)) in self.0.iter_mut().enumerate() {
            if place > 0 {
                group.push('\n');
            }
            value.clear();
            template.render(batch, index, sequence, &mut value);
            // Values of a message must not end a header.
            value.retain(|byte| !byte.is_ascii_control());
            group.push_str(&String::from_utf8_lossy(&value));
        }
    }

    /// Returns the names of the headers.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// Returns the headers of a group, by their names.
pub(crate) fn headers_of<'a>(names: &'a [String], group: &'a str) -> Vec<(&'a str, &'a str)> {
    names.iter().map(String::as_str).zip(group.split('\n')).collect()
}
