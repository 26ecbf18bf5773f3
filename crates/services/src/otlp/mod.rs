//! `opentelemetry()` and `syslog-ng-otlp()`: messages as log records, over gRPC.
//!
//! In: messages. Out: requests, and what the server says of them. Holds: a connection. Limits: see [`OtlpTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | rows of messages |
//! | `connection` | a request with its rows, and the part of it that the server refused |
//! | `options` | the options |

mod connection;
mod options;
mod receiver;

#[cfg(test)]
mod tests;

pub use options::{OtlpForm, OtlpTarget};
pub use receiver::OtlpReceiver;
