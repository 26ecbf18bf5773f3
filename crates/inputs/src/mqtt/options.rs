//! The options of `mqtt()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the client.
//! Holds: nothing that runs. Limits: none.

use std::time::Duration;
use transport::{
    Endpoint,
    mqtt::{MqttLogin, MqttQos, MqttSession},
};

/// `mqtt()`
#[derive(Clone, Debug)]
pub struct MqttSource {
    /// `address()`
    pub server: Endpoint,
    /// How to log in.
    pub login: MqttLogin,
    /// `cleansession()`
    pub session: MqttSession,
    /// `topic()`: a filter of topics.
    pub topic: String,
    /// `qos()`
    pub qos: MqttQos,
    /// Longest wait for an answer.
    pub timeout: Duration,
    /// `time-reopen()`
    pub reopen_after: Duration,
}
