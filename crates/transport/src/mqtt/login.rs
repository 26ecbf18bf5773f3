//! Who we are at a broker, and what is acknowledged there.
//!
//! In: values that were checked when the configuration was read. Out: the same, for source and destination.
//! Holds: nothing that runs. Limits: none.

/// `qos()`: how publications are acknowledged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MqttQos {
    /// 0: not at all. A destination asks behind each batch if the broker lives.
    Nothing,
    /// 1: each one is acknowledged.
    AtLeastOnce,
    /// 2: the same in four steps, so that none comes twice while both sides remember it.
    ExactlyOnce,
}

impl MqttQos {
    /// Returns its number.
    pub fn level(self) -> u8 {
        match self {
            MqttQos::Nothing => 0,
            MqttQos::AtLeastOnce => 1,
            MqttQos::ExactlyOnce => 2,
        }
    }

    /// Returns that of a number; `None` when there is none.
    pub fn of(level: u8) -> Option<MqttQos> {
        match level {
            0 => Some(MqttQos::Nothing),
            1 => Some(MqttQos::AtLeastOnce),
            2 => Some(MqttQos::ExactlyOnce),
            _ => None,
        }
    }
}

/// `cleansession()`: what the broker remembers of us when a connection ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MqttSession {
    /// Nothing.
    Clean,
    /// Subscriptions, and what was not acknowledged.
    Kept,
}

/// Says who we are.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct MqttLogin {
    /// `client-id()`
    pub client: String,
    /// `username()`
    pub user: Option<String>,
    /// `password()`
    pub password: Option<String>,
    /// `keepalive()`, in seconds: the broker ends a connection that is silent for one and a half times as long. 0 is never.
    pub keep_alive: u16,
}

/// The reason why a broker refuses a login.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// It speaks another version.
    Protocol(&'static str),
    /// Someone has to change what we say.
    Login(&'static str),
    /// It may accept it later.
    Later(&'static str),
}

/// Tells what the code of a CONNACK means, when it is not 0.
pub fn refusal(code: u8) -> Refusal {
    match code {
        1 => Refusal::Protocol("the broker does not speak MQTT 3.1.1"),
        2 => Refusal::Login("the broker refuses client-id()"),
        3 => Refusal::Later("the broker is not available"),
        4 => Refusal::Login("the broker refuses username() or password()"),
        5 => Refusal::Login("the broker says that we are not authorised"),
        _ => Refusal::Later("the broker answers the login with an unknown code"),
    }
}
