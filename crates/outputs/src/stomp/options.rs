//! The options of `stomp()`.
//!
//! In: values that were checked when the configuration was read. Out: the same values, for the driver. Holds: options
//! only. Limits: none.

use crate::link::{Endpoint, size_limit::SizeLimit};
use delivery::Batches;
use message::{Render, RenderPairs};
use std::{fmt, time::Duration};
use transport::amqp::Durability;

/// `ack()`: the messages for which the broker is asked for a receipt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receipts {
    /// Each: the broker has done with it what there is to do.
    OfEach,
    /// The last of a batch: the broker has got it and those before it.
    OfLast,
}

/// Says who we are.
#[derive(Clone, PartialEq, Eq)]
pub struct StompLogin {
    /// `vhost()`: the virtual host.
    pub vhost: String,
    /// `username()` and `password()`
    pub user: Option<(String, String)>,
}

impl fmt::Debug for StompLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {}", self.user.as_ref().map(|(user, _)| user), self.vhost)
    }
}

/// `stomp()`.
pub struct StompTarget {
    /// `host()` and `port()`
    pub server: Endpoint,
    /// The login.
    pub login: StompLogin,
    /// `destination()`
    pub destination: String,
    /// `body()`
    pub body: Box<dyn Render>,
    /// `value-pairs()`
    pub headers: Box<dyn RenderPairs>,
    /// `persistent()`
    pub durability: Durability,
    /// `ack()`
    pub receipts: Receipts,
    /// `timeout()`: longest wait for the next receipt.
    pub timeout: Duration,
    /// How messages are gathered.
    pub batches: Batches,
}

/// The part of a target that its connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) server: Endpoint,
    pub(super) login: StompLogin,
    pub(super) destination: String,
    pub(super) durability: Durability,
    pub(super) receipts: Receipts,
    pub(super) timeout: Duration,
    pub(super) limit: SizeLimit,
}
