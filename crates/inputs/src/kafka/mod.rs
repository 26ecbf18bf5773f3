//! `kafka()`: records of topics become messages, as a member of a consumer group.
//!
//! In: records. Out: batches. Holds: librdkafka's consumer and a thread for each source. Limits: the window of the source, and
//! librdkafka's `queued.max.messages.kbytes` of records that wait to be read.
//!
//! | module | what it does |
//! |---|---|
//! | `source` | the contract with the set of sources |
//! | `reader` | the thread: polls, makes batches, holds back, gives partitions up, ends |
//! | `records` | records become the frames of a batch, with their places |
//! | `consumer` | librdkafka's consumer, and what it says of its connections |
//! | `health` | why nothing can be read at present |
//! | `offsets` | positions below which everything is acknowledged |
//! | `options` | what a configuration says |

mod consumer;
mod health;
mod offsets;
mod options;
mod reader;
mod records;
mod source;

#[cfg(test)]
mod tests;

pub use options::KafkaSource;
