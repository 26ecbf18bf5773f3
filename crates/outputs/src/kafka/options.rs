//! What a configuration says about `kafka()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the driver.
//! Holds: nothing that runs. Limits: none.

use delivery::Batches;
use message::Render;
use transport::kafka::Properties;

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
    /// `sync-send(yes)`: the `transactional.id`, and each batch is a transaction then. It needs one worker.
    pub transactional_id: Option<String>,
    /// How records are gathered.
    pub batches: Batches,
}
