//! `kafka()` as a source of the set of sources.
//!
//! In: its options. Out: a running reader. Holds: nothing. Limits: none.

use super::{options::KafkaSource, reader::read_topics};
use intake::{Input, InputTask};

impl Input for KafkaSource {
    fn identity(&self) -> String {
        let (instance, topics) = (self.instance(), &self.topics);
        let settings = self.properties.fingerprint();
        format!("kafka {instance} {topics:?} {settings:x} {} {}", self.stores_metadata, self.records_max)
    }

    fn instance(&self) -> String {
        let brokers = self.properties.get("bootstrap.servers").unwrap_or_default();
        format!("kafka,{brokers},{},{}", self.topics.join("+"), self.group())
    }

    fn start(&self, task: InputTask) {
        read_topics(self.clone(), task);
    }
}
