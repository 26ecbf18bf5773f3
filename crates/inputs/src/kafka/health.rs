//! The reasons why nothing can be read at present.
//!
//! In: what librdkafka says of connections and topics, and that brokers answer. Out: one sentence for the health of the server.
//! Holds: the last reason for the connections, and one for each topic. Limits: [`TOPICS_MAX`].

use rdkafka::types::RDKafkaErrorCode as Code;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use transport::kafka::plain;

/// Most topics whose reasons are kept.
const TOPICS_MAX: usize = 16;

/// The reasons of one consumer.
#[derive(Default)]
pub(super) struct Health(Mutex<State>);

#[derive(Default)]
struct State {
    /// The last words about the connection to one broker.
    fault: String,
    /// True once a broker has answered.
    is_reached: bool,
    connection: Option<String>,
    topics: BTreeMap<String, String>,
}

/// The subject of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Subject {
    /// One broker of several.
    Broker,
    /// All connections.
    Connection,
    /// A topic of the subscription.
    Topic,
    /// Something else, of which only the log has to know.
    Other,
}

/// Tells what an error is about.
pub(super) fn subject(code: Code) -> Subject {
    match code {
        Code::BrokerTransportFailure | Code::Resolve => Subject::Broker,
        Code::AllBrokersDown
        | Code::Authentication
        | Code::SaslAuthenticationFailed
        | Code::UnsupportedSASLMechanism
        | Code::ClusterAuthorizationFailed
        | Code::GroupAuthorizationFailed
        | Code::InconsistentGroupProtocol
        | Code::SSL => Subject::Connection,
        Code::UnknownTopicOrPartition
        | Code::UnknownTopic
        | Code::InvalidTopic
        | Code::TopicAuthorizationFailed => Subject::Topic,
        _ => Subject::Other,
    }
}

impl Health {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an error. Returns true when it is new.
    pub(super) fn note(&self, code: Code, words: &str, topics: &[String]) -> bool {
        let words = plain(words);
        let mut state = self.lock();
        match subject(code) {
            Subject::Broker => {
                state.fault = words;
                false
            }
            Subject::Connection => {
                let words = match code {
                    Code::AllBrokersDown if !state.fault.is_empty() => format!("{words}; {}", state.fault),
                    _ => words,
                };
                // Wrong credentials explain that no broker can be reached, not the other way round.
                let is_new = state.connection.is_none() || code != Code::AllBrokersDown;
                if is_new {
                    state.connection = Some(words);
                }
                is_new
            }
            Subject::Topic => {
                let named = topics.iter().find(|topic| words.contains(topic.as_str())).cloned();
                let name = named.unwrap_or_default();
                if state.topics.len() >= TOPICS_MAX && !state.topics.contains_key(&name) {
                    return true;
                }
                state.topics.insert(name, words.clone()).is_none_or(|old| old != words)
            }
            Subject::Other => true,
        }
    }

    /// A broker has answered.
    pub(super) fn has_reached(&self) {
        let mut state = self.lock();
        state.is_reached = true;
        state.fault.clear();
        state.connection = None;
    }

    /// Returns whether a broker has answered since the consumer was made.
    pub(super) fn is_known(&self) -> bool {
        self.lock().is_reached
    }

    /// A topic is there.
    pub(super) fn has_topic(&self, name: &str) {
        self.lock().topics.remove(name);
    }

    /// Returns the topics that are not there.
    pub(super) fn missing(&self) -> Vec<String> {
        self.lock().topics.keys().cloned().collect()
    }

    /// Returns why nothing, or not everything, can be read.
    pub(super) fn trouble(&self) -> Option<String> {
        let state = self.lock();
        state.connection.clone().or_else(|| state.topics.values().next().cloned())
    }
}

#[cfg(test)]
mod tests;
