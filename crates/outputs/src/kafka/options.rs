//! What a configuration says about `kafka()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver.
//! Holds: nothing that runs. Limits: none.

use super::properties::Properties;
use message::Render;
use std::time::Duration;

/// `kafka()`.
pub struct KafkaTarget {
    /// `bootstrap-servers()` and `config()`
    pub properties: Properties,
    /// `topic()`
    pub topic: Box<dyn Render>,
    /// `fallback-topic()`: the topic of messages whose own has no legal name.
    pub fallback_topic: Option<String>,
    /// `key()`; an empty one counts as none.
    pub key: Option<Box<dyn Render>>,
    /// `message()`
    pub text: Box<dyn Render>,
    /// `batch-lines()`: records that are produced without waiting for each other.
    pub batch_lines: usize,
    /// `batch-bytes()`: most bytes of them; 0 is no limit.
    pub batch_bytes: usize,
    /// `batch-timeout()`
    pub batch_wait: Option<Duration>,
    /// `workers()`
    pub workers: usize,
    /// `retries()` when it is written.
    pub retries: Option<u32>,
}
