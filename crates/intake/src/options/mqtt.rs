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

impl MqttSource {
    /// Names the broker and the topic: the third column of its counters.
    pub(crate) fn instance(&self) -> String {
        format!("mqtt,source,{},{},{}", self.server.host, self.server.port, self.topic)
    }

    /// Describes everything that a connection has from its start: any change makes a new one.
    pub(crate) fn identity(&self) -> String {
        let tls = self.server.tls.as_ref().map(|tls| &tls.options);
        let (instance, login) = (self.instance(), &self.login);
        format!("{instance} {login:?} {:?} {:?} {tls:?} {:?}", self.session, self.qos, self.reopen_after)
    }
}
