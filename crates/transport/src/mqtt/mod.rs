//! What sources and destinations of MQTT 3.1.1 share.
//!
//! In: names, texts; bytes of packets. Out: packets; bytes. Holds: nothing. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `packet` | packets as bytes |
//! | `topic` | names of topics, and filters of them |
//! | `login` | who we are, and what is acknowledged |

mod login;
mod packet;
mod topic;

pub use login::{MqttLogin, MqttQos, MqttSession, Refusal, refusal};
pub use packet::{
    DISCONNECT, Head, PING, Packet, Publication, REST_BYTES_MAX, acknowledge, complete, connect, decode,
    decode_body, decode_head, publish, receive, release, subscribe,
};
pub use topic::{TOPIC_BYTES_MAX, TopicError, check as check_topic, check_filter};

#[cfg(test)]
mod tests;
