//! The options of `amqp()`.
//!
//! In: values that were checked when the configuration was read. Out: the same values, for the driver. Holds: options
//! only. Limits: the names of exchange, virtual host and routing key have at most 255 bytes.

use crate::link::{Endpoint, size_limit::SizeLimit};
use delivery::Batches;
use message::{Render, RenderPairs};
use std::time::Duration;
use transport::amqp::{AmqpLogin, Durability};

/// The exchange that gets the publications.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AmqpExchange {
    /// `exchange()`; empty for the default exchange, whose routing keys are names of queues.
    pub name: String,
    /// `exchange-type()`, when `exchange-declare()` is on.
    pub declared_as: Option<String>,
}

/// `unroutable()`: the fate of a message for whose routing key no queue is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unroutable {
    /// It is a dead letter.
    Dead,
    /// It waits until a queue is bound.
    Hold,
    /// The broker drops it.
    Drop,
}

/// `amqp()`.
pub struct AmqpTarget {
    /// `host()` and `port()`
    pub server: Endpoint,
    /// `vhost()`
    pub vhost: String,
    /// The login.
    pub login: AmqpLogin,
    /// `exchange()`
    pub exchange: AmqpExchange,
    /// `routing-key()`
    pub routing_key: Box<dyn Render>,
    /// `body()`
    pub body: Box<dyn Render>,
    /// `value-pairs()`
    pub headers: Box<dyn RenderPairs>,
    /// `persistent()`
    pub durability: Durability,
    /// `unroutable()`
    pub unroutable: Unroutable,
    /// `frame-size()`: most bytes of a frame, unless the broker wants smaller ones.
    pub frame_bytes: usize,
    /// `heartbeat()`, in seconds; 0 is none.
    pub heartbeat: u16,
    /// `timeout()`: longest wait for the next confirmation.
    pub timeout: Duration,
    /// How publications are gathered.
    pub batches: Batches,
}

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) server: Endpoint,
    pub(super) vhost: String,
    pub(super) login: AmqpLogin,
    pub(super) exchange: AmqpExchange,
    pub(super) durability: Durability,
    pub(super) unroutable: Unroutable,
    pub(super) frame_bytes: usize,
    pub(super) heartbeat: u16,
    pub(super) timeout: Duration,
    pub(super) limit: SizeLimit,
}
