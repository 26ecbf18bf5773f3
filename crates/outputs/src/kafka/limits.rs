//! The longest batch of records that each topic takes, as its brokers say.
//!
//! In: names of topics. Out: `max.message.bytes` of each. Holds: what is known, and a client that asks. Limits: [`TOPICS_MAX`];
//! [`ANSWER_WITHIN`] for an answer. Brokers that do not say it, or not to us, are asked again after [`ASKS_AGAIN`].
//!
//! A broker refuses a whole batch for one record, and a producer that is idempotent stops for each refusal until nothing is on its
//! way any more. Who knows the limit makes no such batch.

use rdkafka::{
    ClientContext,
    admin::{AdminClient, AdminOptions, ResourceSpecifier},
    config::{ClientConfig, FromClientConfigAndContext, RDKafkaLogLevel},
    consumer::ConsumerContext,
    error::KafkaError,
    types::RDKafkaErrorCode,
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Most topics that are remembered.
const TOPICS_MAX: usize = 10_000;
/// Longest wait for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(3);
/// Longest time that a limit is believed when a record would be refused for it: an operator may have raised it.
const BELIEVED_FOR: Duration = Duration::from_millis(250);
/// Brokers that did not answer are not asked before.
const ASKS_AGAIN: Duration = Duration::from_secs(60);

/// The limit of a topic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Limit {
    /// Most bytes of a batch.
    pub(super) bytes: usize,
    /// A broker has refused a longer record that was alone in its batch, since this is the limit.
    pub(super) is_confirmed: bool,
}

impl Limit {
    /// Nothing is known that limits a batch.
    pub(super) const NONE: Limit = Limit { bytes: usize::MAX, is_confirmed: false };
}

#[derive(Clone, Copy, Debug)]
struct Known {
    limit: Limit,
    asked: Instant,
}

/// A client that says nothing: the producer beside it hears the same of the brokers.
pub(super) struct Silent;

impl ClientContext for Silent {
    fn log(&self, _level: RDKafkaLogLevel, _facility: &str, _words: &str) {}

    fn error(&self, _error: KafkaError, _words: &str) {}
}

impl ConsumerContext for Silent {}

#[derive(Default)]
struct Memory {
    topics: HashMap<String, Known>,
    client: Option<Arc<AdminClient<Silent>>>,
    not_before: Option<Instant>,
}

/// The limits of the topics of a destination.
#[derive(Default)]
pub(super) struct Limits {
    memory: Mutex<Memory>,
}

impl Limits {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the limit of a topic, to which a record of so many bytes is to go. Brokers are asked the first time, and when what
    /// they said is old and would make the record be refused.
    pub(super) async fn of(&self, topic: &str, longest: usize, config: &ClientConfig) -> Limit {
        let now = Instant::now();
        let known = self.memory().topics.get(topic).copied();
        let is_due = |known: Known| longest > known.limit.bytes && now - known.asked >= BELIEVED_FOR;
        let before = known.map_or(Limit::NONE, |known| known.limit);
        if !known.is_none_or(is_due) {
            return before;
        }
        // Without an answer about the limit now, the broker's answer to the next record confirms or refutes it.
        let unconfirmed = Limit { is_confirmed: false, ..before };
        let Some(client) = self.client(config, now) else { return unconfirmed };
        match ask(&client, topic).await {
            Some(bytes) => {
                let limit = Limit { bytes, is_confirmed: before.is_confirmed && before.bytes == bytes };
                self.remember(topic, Known { limit, asked: now });
                limit
            }
            None => {
                self.memory().not_before = Some(now + ASKS_AGAIN);
                unconfirmed
            }
        }
    }

    fn client(&self, config: &ClientConfig, now: Instant) -> Option<Arc<AdminClient<Silent>>> {
        let mut memory = self.memory();
        if memory.not_before.is_some_and(|time| now < time) {
            return None;
        }
        if memory.client.is_none() {
            let mut config = config.clone();
            // It produces nothing, and needs no number for it.
            config.set("enable.idempotence", "false").remove("transactional.id");
            memory.client = AdminClient::from_config_and_context(&config, Silent).ok().map(Arc::new);
        }
        memory.client.clone()
    }

    fn remember(&self, topic: &str, known: Known) {
        let topics = &mut self.memory().topics;
        if topics.len() >= TOPICS_MAX && !topics.contains_key(topic) {
            topics.clear();
        }
        topics.insert(topic.to_owned(), known);
    }

    /// Returns the smallest limit of all topics.
    pub(super) fn smallest(&self) -> usize {
        self.memory().topics.values().map(|known| known.limit.bytes).min().unwrap_or(Limit::NONE.bytes)
    }

    /// Notes that a record, or a batch, of so many bytes was refused for its size. A limit that is smaller than it was known to be is
    /// asked for again.
    pub(super) fn refused(&self, topic: &str, bytes: usize) {
        let mut memory = self.memory();
        match memory.topics.get_mut(topic) {
            Some(known) if bytes > known.limit.bytes => known.limit.is_confirmed = true,
            Some(_) => drop(memory.topics.remove(topic)),
            None => {}
        }
    }

    /// Notes that a record of so many bytes was stored: a topic that takes it has another limit by now.
    pub(super) fn stored(&self, topic: &str, bytes: usize) {
        self.memory().topics.retain(|name, known| name != topic || bytes <= known.limit.bytes);
    }
}

/// Asks for the limit of a topic; `None` when nobody says it.
async fn ask(client: &AdminClient<Silent>, topic: &str) -> Option<usize> {
    let options = AdminOptions::new().request_timeout(Some(ANSWER_WITHIN));
    let described = client.describe_configs([&ResourceSpecifier::Topic(topic)], &options).await;
    match described.ok()?.pop()? {
        Ok(resource) => resource.get("max.message.bytes")?.value.as_ref()?.parse().ok(),
        // The brokers may make it when it gets its first record.
        Err(RDKafkaErrorCode::UnknownTopicOrPartition) => Some(Limit::NONE.bytes),
        Err(_) => None,
    }
}

/// Returns the bytes of a batch of one record that is not compressed, in the form that brokers have taken since version 0.11.
pub(super) fn batch_bytes(key: Option<&[u8]>, text: &[u8]) -> usize {
    /// The head of a batch.
    const HEAD: usize = 61;
    // Attributes, time and position are zero, and there are no headers: a byte each.
    let key = key.map_or(1, |key| number_bytes(key.len()) + key.len());
    let record = 4 + key + number_bytes(text.len()) + text.len();
    HEAD + number_bytes(record) + record
}

/// Returns the bytes of a length in a record: seven bits each, of twice the number.
fn number_bytes(number: usize) -> usize {
    let bits = usize::BITS - number.saturating_mul(2).leading_zeros();
    bits.div_ceil(7).max(1) as usize
}

#[cfg(test)]
mod tests {
    //! Sizes of records, and what is known of topics.

    use super::*;

    #[test]
    fn a_record_has_the_size_that_brokers_measure() {
        // 61, the length, attributes, time, position, the length of no key, that of the text, the text, no headers.
        assert_eq!(batch_bytes(None, b""), 61 + 1 + 3 + 1 + 1 + 1);
        assert_eq!(batch_bytes(Some(b"k"), b"text"), 61 + 1 + 3 + 2 + 1 + 4 + 1);
        assert_eq!(batch_bytes(None, &[b'x'; 63]), 61 + 2 + 3 + 1 + 1 + 63 + 1);
        assert_eq!(batch_bytes(None, &[b'x'; 64]), 61 + 2 + 3 + 1 + 2 + 64 + 1);
        assert_eq!(batch_bytes(None, &[b'x'; 20_000]), 61 + 3 + 3 + 1 + 3 + 20_000 + 1);
    }

    #[test]
    fn what_brokers_do_changes_what_is_known() {
        let limits = Limits::default();
        let known = |topic: &str| limits.memory().topics.get(topic).map(|known| known.limit);
        let limit = |bytes, is_confirmed| Some(Limit { bytes, is_confirmed });
        for (topic, bytes) in [("a", 1_000), ("b", 2_000)] {
            let limit = Limit { bytes, is_confirmed: false };
            limits.remember(topic, Known { limit, asked: Instant::now() });
        }
        assert_eq!(limits.smallest(), 1_000);
        limits.refused("a", 1_001);
        assert_eq!(known("a"), limit(1_000, true));
        limits.stored("a", 1_000);
        assert_eq!(known("a"), limit(1_000, true));
        limits.stored("a", 1_001);
        assert_eq!((known("a"), limits.smallest()), (None, 2_000));
        limits.refused("b", 1_500);
        assert_eq!((known("b"), limits.smallest()), (None, usize::MAX));
    }
}
