//! `riemann()`: each message is an event of Riemann.
//!
//! In: templates of the fields of events. Out: events, and what the server says of them. Holds: connections.
//! Limits: see [`RiemannTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | events of messages |
//! | `stream` | events over TCP and TLS, with answers |
//! | `datagrams` | events over UDP, without |
//! | `options` | what a configuration says |

mod datagrams;
mod options;
mod receiver;
mod stream;

#[cfg(test)]
mod tests;

pub use options::{EventTags, EventTime, MetricKind, RiemannTarget, RiemannWire, UnfitMetric};
pub use receiver::RiemannReceiver;
