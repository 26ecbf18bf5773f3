//! What a configuration says about `mqtt()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver.
//! Holds: nothing that runs. Limits: none.

use crate::link::Endpoint;
use delivery::Batches;
use message::Render;
use std::time::Duration;
use transport::mqtt::{MqttLogin, MqttQos};

/// `mqtt()`.
pub struct MqttTarget {
    /// `address()`
    pub server: Endpoint,
    /// How to log in.
    pub login: MqttLogin,
    /// `topic()`
    pub topic: Box<dyn Render>,
    /// `fallback-topic()`: for messages of which `topic()` makes no name of a topic.
    pub fallback_topic: Option<String>,
    /// `template()`
    pub text: Box<dyn Render>,
    /// `qos()`
    pub qos: MqttQos,
    /// `timeout()`: longest wait for the next acknowledgement.
    pub timeout: Duration,
    /// How publications are gathered. The broker has one connection: `workers` is not used.
    pub batches: Batches,
}
