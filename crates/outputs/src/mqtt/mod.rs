//! `mqtt()`: each message is published to a broker, over MQTT 3.1.1.
//!
//! In: templates of topics and texts. Out: publications, and what the broker acknowledges. Holds: a connection.
//! Limits: see [`MqttTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | publications of messages |
//! | `topic` | names of topics that a broker can have |
//! | `connection` | the login, and publications with their acknowledgements |
//! | `packet` | packets as bytes |
//! | `options` | what a configuration says |

mod connection;
mod options;
mod packet;
mod receiver;
mod topic;

#[cfg(test)]
mod tests;

pub use options::{MqttLogin, MqttQos, MqttTarget};
pub use receiver::MqttReceiver;
pub use topic::{TopicError, check as check_topic};
