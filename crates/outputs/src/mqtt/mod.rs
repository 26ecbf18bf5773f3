//! `mqtt()`: each message is published to a broker, over MQTT 3.1.1.
//!
//! In: templates of topics and texts. Out: publications, and what the broker acknowledges. Holds: a connection.
//! Limits: see [`MqttTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | publications of messages |
//! | `connection` | the login, and publications with their acknowledgements |
//! | `options` | what a configuration says |

mod connection;
mod options;
mod receiver;

#[cfg(test)]
mod tests;

pub use options::MqttTarget;
pub use receiver::MqttReceiver;
