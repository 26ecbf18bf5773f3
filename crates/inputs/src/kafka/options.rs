//! The options of `kafka()`.
//!
//! In: values that were checked when the configuration was read. Out: the same, for the reader.
//! Holds: nothing that runs. Limits: a batch has at most [`KafkaSource::records_max`] records.

use transport::kafka::Properties;

/// `kafka()`
#[derive(Clone, Debug)]
pub struct KafkaSource {
    /// `bootstrap-servers()` and `config()`
    pub properties: Properties,
    /// `topic()`: names, and regular expressions that begin with `^`.
    pub topics: Vec<String>,
    /// `store-metadata()`: each message has the place of its record as values.
    pub stores_metadata: bool,
    /// `log-fetch-limit()`: most records of a batch.
    pub records_max: usize,
}

impl KafkaSource {
    /// Names the group whose members share the partitions.
    pub(crate) fn group(&self) -> &str {
        self.properties.get("group.id").unwrap_or_default()
    }
}
