//! The options of `nrdp()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver. Holds: nothing that runs. Limits: none.

use crate::http::RequestSettings;
use delivery::Batches;
use message::Render;

/// `nrdp()`.
pub struct NrdpTarget {
    /// `url()`, as requests have it.
    pub url: String,
    /// `token()`
    pub token: String,
    /// `host()`
    pub host: Box<dyn Render>,
    /// `service()`; without it, or where it gives nothing, the result is that of the host.
    pub service: Option<Box<dyn Render>>,
    /// `state()`: a number or a word of Nagios; without it the severity of the message decides.
    pub state: Option<Box<dyn Render>>,
    /// `output()`
    pub output: Box<dyn Render>,
    /// `timeout()`, `tls()`, `user()`, `password()`.
    pub settings: RequestSettings,
    /// How results are gathered in requests.
    pub batches: Batches,
}
