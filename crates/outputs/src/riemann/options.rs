//! The options of `riemann()`.
//!
//! In: values that were checked when the configuration was read. Out: the same values, for the driver. Holds: options
//! only. Limits: none.

use crate::link::Endpoint;
use delivery::Batches;
use message::{Render, RenderPairs};
use std::time::Duration;

/// `type()`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RiemannWire {
    /// TCP, encrypted or not: the server answers.
    Stream,
    /// UDP: it does not.
    Datagrams,
}

/// The unit of `event-time()`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventTime {
    /// Seconds since 1970.
    Seconds,
    /// Microseconds since 1970.
    Microseconds,
}

/// The type of `metric()`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetricKind {
    /// A whole number.
    Integer,
    /// A number with a fraction.
    Double,
}

/// `on-error()`: the fate of a message whose metric or time to live is no number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnfitMetric {
    /// It is a dead letter.
    Dead,
    /// Its event has none.
    LeftOut,
}

/// `tags()`
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventTags {
    /// Those of the message.
    OfMessage,
    /// These.
    Fixed(Vec<String>),
}

/// `riemann()`.
pub struct RiemannTarget {
    /// `server()` and `port()`
    pub server: Endpoint,
    /// `type()`
    pub wire: RiemannWire,
    /// `host()`
    pub host: Box<dyn Render>,
    /// `service()`
    pub service: Box<dyn Render>,
    /// `event-time()` with its unit.
    pub time: (Box<dyn Render>, EventTime),
    /// `state()`
    pub state: Option<Box<dyn Render>>,
    /// `description()`
    pub description: Option<Box<dyn Render>>,
    /// `ttl()`
    pub ttl: Option<Box<dyn Render>>,
    /// `metric()` with its type.
    pub metric: Option<(Box<dyn Render>, MetricKind)>,
    /// `tags()`
    pub tags: EventTags,
    /// `attributes()`
    pub attributes: Option<Box<dyn RenderPairs>>,
    /// `on-error()`
    pub unfit: UnfitMetric,
    /// `timeout()`: longest wait for an answer.
    pub timeout: Duration,
    /// How events are gathered.
    pub batches: Batches,
}
