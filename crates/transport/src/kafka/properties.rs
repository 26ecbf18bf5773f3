//! librdkafka's own settings, as `config()` gives them.
//!
//! In: names and values. Out: settings that librdkafka takes, with our own defaults below them. Holds: them.
//! Limits: a name that is unknown, and one that would break a promise of ours, is refused.

use rdkafka::{
    config::{ClientConfig, RDKafkaLogLevel},
    error::KafkaError,
};
use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
};

/// Our defaults for every client. What is not here is librdkafka's.
const DEFAULTS: &[(&str, &str)] = &[
    // Brokers get no statistics.
    ("enable.metrics.push", "false"),
    // The authorities of the machine, wherever it keeps them.
    ("ssl.ca.location", "probe"),
    ("client.id", "duramen"),
];

/// Our defaults for a producer.
const PRODUCER_DEFAULTS: &[(&str, &str)] = &[
    // Also after a broker was lost, a record is stored once.
    ("enable.idempotence", "true"),
    // Our queue says how long a record is tried. librdkafka would forget it after five minutes.
    ("message.timeout.ms", "0"),
    ("partitioner", "murmur2_random"),
    // After a refusal, batches that were on their way are sent again: a pause before each would be most of the time. It still grows
    // to a second while brokers are away.
    ("retry.backoff.ms", "20"),
    ("topic.metadata.refresh.fast.interval.ms", "100"),
    // A topic that is missing is known to be so before an exchange is over.
    ("topic.metadata.propagation.max.ms", "5000"),
];

/// Our defaults for a consumer.
const CONSUMER_DEFAULTS: &[(&str, &str)] = &[
    ("group.id", "duramen"),
    // A group without positions begins with the oldest records: none is left out.
    ("auto.offset.reset", "earliest"),
    // librdkafka commits the positions that we give it, which are those of acknowledged messages.
    ("enable.auto.offset.store", "false"),
    ("auto.commit.interval.ms", "1000"),
    // Partitions that stay with a member are read on while others move.
    ("partition.assignment.strategy", "cooperative-sticky"),
    // Bytes that are fetched before they are read, and bytes of one answer of a broker.
    ("queued.max.messages.kbytes", "16384"),
    ("fetch.max.bytes", "16777216"),
];

/// Names of librdkafka that are another name's second spelling.
const SPELLINGS: &[(&str, &str)] = &[
    ("metadata.broker.list", "bootstrap.servers"),
    ("request.required.acks", "acks"),
    ("delivery.timeout.ms", "message.timeout.ms"),
    ("compression.type", "compression.codec"),
    ("message.send.max.retries", "retries"),
    ("queue.buffering.max.ms", "linger.ms"),
    ("max.in.flight", "max.in.flight.requests.per.connection"),
    ("sasl.mechanism", "sasl.mechanisms"),
];

/// How to log in.
const MECHANISMS: &[&str] = &["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"];

/// Names that are not taken, and why.
const REFUSED: &[(&str, &str)] = &[
    ("bootstrap.servers", "the brokers are named by bootstrap-servers()"),
    ("delivery.report.only.error", "a message counts as written when the brokers report it"),
    ("plugin.library.paths", "the server loads no libraries"),
    ("ssl.engine.location", "the server loads no libraries"),
    ("ssl.providers", "the server loads no libraries"),
    ("debug", "the server's log has the warnings and errors of librdkafka"),
    ("log_level", "the server's log has the warnings and errors of librdkafka"),
    ("log.queue", "the server's log has the warnings and errors of librdkafka"),
    ("statistics.interval.ms", "nobody reads these statistics"),
    ("internal.termination.signal", "the server ends librdkafka itself"),
    ("enabled_events", "the server says what it hears of librdkafka"),
    ("interceptors", "the server says what it hears of librdkafka"),
    ("opaque", "the server says what it hears of librdkafka"),
    ("default_topic_conf", "name each setting"),
];

/// Names that a consumer does not take, and why.
const CONSUMER_REFUSED: &[(&str, &str)] = &[
    ("enable.auto.commit", "positions of acknowledged messages are committed, and no others"),
    ("auto.commit.enable", "positions of acknowledged messages are committed, and no others"),
    ("enable.auto.offset.store", "positions of acknowledged messages are committed, and no others"),
    ("offset.store.method", "the brokers keep the positions"),
    ("offset.store.path", "the brokers keep the positions"),
    ("group.protocol", "only the classic protocol of groups is supported"),
    ("group.remote.assignor", "only the classic protocol of groups is supported"),
    ("enable.partition.eof", "nobody reads these events"),
    ("transactional.id", "a source produces nothing"),
];

/// The part that a client has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClientRole {
    /// It writes records.
    Producer,
    /// It reads them.
    Consumer,
}

impl ClientRole {
    fn defaults(self) -> &'static [(&'static str, &'static str)] {
        match self {
            ClientRole::Producer => PRODUCER_DEFAULTS,
            ClientRole::Consumer => CONSUMER_DEFAULTS,
        }
    }
}

/// The reason why a setting is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertyError {
    /// It would break a promise of ours.
    Refused {
        /// Its name.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// librdkafka does not know it, or not with this value.
    Unfit {
        /// Its name.
        name: String,
        /// The words of librdkafka.
        words: String,
    },
}

impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PropertyError::Refused { name, why } => write!(f, "`{name}` cannot be set here: {why}"),
            PropertyError::Unfit { name, words } => write!(f, "`{name}` is refused by librdkafka: {words}"),
        }
    }
}

/// Settings that librdkafka takes.
#[derive(Clone, Debug)]
pub struct Properties {
    role: ClientRole,
    config: ClientConfig,
}

impl Properties {
    /// Makes the settings of a client for brokers, `host:port` with commas between.
    pub fn new(role: ClientRole, brokers: &str) -> Properties {
        let mut config = ClientConfig::new();
        config.set_log_level(RDKafkaLogLevel::Warning);
        DEFAULTS.iter().chain(role.defaults()).for_each(|(name, value)| {
            config.set(*name, *value);
        });
        config.set("bootstrap.servers", brokers);
        Properties { role, config }
    }

    /// Adds a setting; the last value of a name counts.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), PropertyError> {
        let name = name.to_ascii_lowercase();
        let name = SPELLINGS.iter().find(|(other, _)| *other == name).map_or(name.as_str(), |found| found.1);
        if let Some(why) = refusal(self.role, name, value) {
            return Err(PropertyError::Refused { name: name.to_owned(), why });
        }
        let mut alone = ClientConfig::new();
        alone.set(name, value);
        if let Err(error) = alone.create_native_config() {
            let words = match error {
                KafkaError::ClientConfig(_, words, ..) => words,
                error => error.to_string(),
            };
            return Err(PropertyError::Unfit { name: name.to_owned(), words });
        }
        self.config.set(name, value);
        Ok(())
    }

    /// Returns a setting that excludes another which is set; librdkafka takes neither then.
    pub fn contradiction(&self) -> Option<PropertyError> {
        let is_sasl = self.get("security.protocol").is_some_and(|value| value.starts_with("sasl"));
        if is_sasl && self.get("sasl.mechanisms").is_none() {
            return Some(refused("security.protocol", "it needs `sasl.mechanisms` beside it"));
        }
        match self.role {
            ClientRole::Producer => self.contradiction_of_producer(),
            ClientRole::Consumer => self.contradiction_of_consumer(),
        }
    }

    fn contradiction_of_producer(&self) -> Option<PropertyError> {
        let is_all = |value: &str| matches!(value, "-1" | "all");
        let number = |name: &str| self.get(name).and_then(|value| value.parse::<u32>().ok());
        match () {
            () if !self.is_idempotent() => None,
            () if self.get("acks").is_some_and(|value| !is_all(value)) => {
                Some(refused("acks", "`enable.idempotence` needs acknowledgements of all replicas"))
            }
            () if number("max.in.flight.requests.per.connection").is_some_and(|count| count > 5) => {
                let why = "`enable.idempotence` needs 5 or less";
                Some(refused("max.in.flight.requests.per.connection", why))
            }
            () if number("retries") == Some(0) => Some(refused("retries", "`enable.idempotence` needs more")),
            () => None,
        }
    }

    /// Returns a setting that excludes transactions.
    pub fn contradiction_of_transactions(&self) -> Option<PropertyError> {
        /// librdkafka's `transaction.timeout.ms`.
        const LIFETIME_MS: u64 = 60_000;
        let number = |name: &str| self.get(name).and_then(|value| value.parse::<u64>().ok());
        let lifetime = number("transaction.timeout.ms").unwrap_or(LIFETIME_MS);
        let is_longer = |name: &str, more: u64| number(name).is_some_and(|ms| ms > lifetime + more);
        match () {
            () if !self.is_idempotent() => Some(refused("enable.idempotence", "transactions need it")),
            () if is_longer("message.timeout.ms", 0) => {
                let why = "`transaction.timeout.ms` has to be as long, or longer";
                Some(refused("message.timeout.ms", why))
            }
            () if is_longer("socket.timeout.ms", 100) => {
                let why = "`transaction.timeout.ms` has to be as long, or longer";
                Some(refused("socket.timeout.ms", why))
            }
            () => None,
        }
    }

    fn contradiction_of_consumer(&self) -> Option<PropertyError> {
        let is_empty = self.get("group.id").is_some_and(|group| group.trim().is_empty());
        is_empty.then(|| refused("group.id", "the group that keeps the positions needs a name"))
    }

    /// Returns whether a record that is sent again by librdkafka is stored once.
    pub fn is_idempotent(&self) -> bool {
        self.get("enable.idempotence").is_none_or(|value| matches!(value, "true" | "t" | "1"))
    }

    /// Returns a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.config.get(name)
    }

    /// Returns the settings in librdkafka's form.
    pub fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// Returns all settings but those that are secret, in an order of their own.
    pub fn shown(&self) -> String {
        format!("{:?}", self.config.config_map())
    }

    /// Returns a number that changes with every setting, also with those that are secret.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.config
            .config_map()
            .keys()
            .map(|name| (name, self.get(name)))
            .for_each(|pair| pair.hash(&mut hasher));
        hasher.finish()
    }
}

fn refused(name: &str, why: &'static str) -> PropertyError {
    PropertyError::Refused { name: name.to_owned(), why }
}

fn refusal(role: ClientRole, name: &str, value: &str) -> Option<&'static str> {
    let consumers: &[_] = if role == ClientRole::Consumer { CONSUMER_REFUSED } else { &[] };
    if let Some((_, why)) = REFUSED.iter().chain(consumers).find(|(refused, _)| *refused == name) {
        return Some(why);
    }
    match name {
        "auto.offset.reset" if value == "error" => {
            Some("a partition without a position would not be read at all")
        }
        "acks" if value == "0" => Some("without acknowledgements, what a broker loses is lost in silence"),
        "sasl.mechanisms" if !MECHANISMS.contains(&value) => {
            Some("it is PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512; Kerberos and OAuth are not supported")
        }
        _ if name.starts_with("sasl.kerberos.") => Some("Kerberos is not supported"),
        _ if name.starts_with("sasl.oauthbearer.") => Some("OAuth is not supported"),
        _ if name.ends_with("_cb") => Some("the server says what it hears of librdkafka"),
        _ if name.starts_with("test.") => Some("it is for tests of librdkafka"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
