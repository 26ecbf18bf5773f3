//! `kafka()`: each message is produced to a topic of Apache Kafka, over librdkafka.
//!
//! In: templates of topics, keys and texts. Out: records, and what the brokers report of each. Holds: a producer for each
//! destination, whose threads are librdkafka's and one of ours. Limits: see [`KafkaTarget`].
//!
//! | module | what it does |
//! |---|---|
//! | `receiver` | records of messages |
//! | `topic` | names of topics |
//! | `connection` | records with their reports |
//! | `transaction` | records in transactions |
//! | `session` | a producer that makes transactions |
//! | `committed` | the messages that transactions have brought |
//! | `limits` | how long a batch of each topic may be |
//! | `producer` | librdkafka's producer, and the thread that hears its reports |
//! | `reports` | what is known of the records on their way |
//! | `verdict` | what an error means |
//! | `options` | what a configuration says |

mod committed;
mod connection;
mod limits;
mod options;
mod producer;
mod receiver;
mod reports;
mod session;
mod topic;
mod transaction;
mod verdict;

#[cfg(test)]
mod tests;

pub use options::KafkaTarget;
pub use receiver::KafkaReceiver;
pub use topic::{TopicNameError, check as check_topic_name};
