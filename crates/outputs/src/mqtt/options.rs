//! What a configuration says about `mqtt()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver.
//! Holds: nothing that runs. Limits: none.

use crate::link::Endpoint;
use delivery::Batches;
use message::Render;
use std::time::Duration;

/// `qos()`: what the broker says of each publication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MqttQos {
    /// 0: nothing. That it lives is asked behind each batch.
    Nothing,
    /// 1: that it has it.
    AtLeastOnce,
    /// 2: the same in four steps, so that it does not take one twice while a connection lasts.
    ExactlyOnce,
}

/// Says who we are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MqttLogin {
    /// `client-id()`
    pub client: String,
    /// `username()`
    pub user: Option<String>,
    /// `password()`
    pub password: Option<String>,
    /// `keepalive()`, in seconds; a connection that rested for longer is opened again. 0 is never.
    pub keep_alive: u16,
}

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
