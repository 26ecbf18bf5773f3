//! The options of `opentelemetry()` and `syslog-ng-otlp()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver. Holds: nothing that runs.
//! Limits: none.

use crate::grpc::GrpcSettings;
use delivery::Batches;
use message::Render;

/// How messages are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OtlpForm {
    /// `opentelemetry()`: as records that every receiver understands.
    Records,
    /// `syslog-ng-otlp()`: whole, for another server of syslog-ng's kind.
    Whole,
}

/// `opentelemetry()` or `syslog-ng-otlp()`.
pub struct OtlpTarget {
    /// How messages are sent.
    pub form: OtlpForm,
    /// The server, and what all requests share.
    pub settings: GrpcSettings,
    /// `headers()` whose values depend on the message.
    pub headers: Vec<(String, Box<dyn Render>)>,
    /// How messages are gathered in requests.
    pub batches: Batches,
}
