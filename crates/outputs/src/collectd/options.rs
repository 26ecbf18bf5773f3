//! What a configuration says about `collectd()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver.
//! Holds: nothing that runs. Limits: none.

use crate::link::Endpoint;
use delivery::Batches;
use message::Render;
use std::time::Duration;

/// `collectd()`.
pub struct CollectdTarget {
    /// `socket()`
    pub server: Endpoint,
    /// `host()`
    pub host: Box<dyn Render>,
    /// `plugin()`
    pub plugin: Box<dyn Render>,
    /// `plugin-instance()`
    pub plugin_instance: Box<dyn Render>,
    /// `type()`
    pub kind: Box<dyn Render>,
    /// `type-instance()`
    pub type_instance: Box<dyn Render>,
    /// `values()`
    pub values: Box<dyn Render>,
    /// `interval()`: seconds until the next value of this name is expected.
    pub interval: u64,
    /// `timeout()`: longest wait for the next answer.
    pub timeout: Duration,
    /// How commands are gathered.
    pub batches: Batches,
}
