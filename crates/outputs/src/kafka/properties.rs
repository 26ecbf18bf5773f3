//! librdkafka's own settings, as `config()` gives them.
//!
//! In: names and values. Out: settings that librdkafka takes, with our own defaults below them. Holds: them.
//! Limits: a name that is unknown, and one that would break a promise of ours, is refused.

use rdkafka::{
    config::{ClientConfig, RDKafkaLogLevel},
    error::KafkaError,
};
use std::fmt;

/// Our defaults. What is not here is librdkafka's.
const DEFAULTS: &[(&str, &str)] = &[
    // Also after a broker was lost, a record is stored once.
    ("enable.idempotence", "true"),
    // Our queue says how long a record is tried. librdkafka would forget it after five minutes.
    ("message.timeout.ms", "0"),
    ("partitioner", "murmur2_random"),
    // A topic that is missing is known to be so before an exchange is over.
    ("topic.metadata.propagation.max.ms", "5000"),
    // Brokers get no statistics.
    ("enable.metrics.push", "false"),
    // The authorities of the machine, wherever it keeps them.
    ("ssl.ca.location", "probe"),
    ("client.id", "duramen"),
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
    ("transactional.id", "transactions are not supported yet"),
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
pub struct Properties(ClientConfig);

impl Properties {
    /// Makes the settings of a producer for brokers, `host:port` with commas between.
    pub fn new(brokers: &str) -> Properties {
        let mut config = ClientConfig::new();
        config.set_log_level(RDKafkaLogLevel::Warning);
        DEFAULTS.iter().for_each(|(name, value)| {
            config.set(*name, *value);
        });
        config.set("bootstrap.servers", brokers);
        Properties(config)
    }

    /// Adds a setting; the last value of a name counts.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), PropertyError> {
        let name = name.to_ascii_lowercase();
        let name = SPELLINGS.iter().find(|(other, _)| *other == name).map_or(name.as_str(), |found| found.1);
        if let Some(why) = refusal(name, value) {
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
        self.0.set(name, value);
        Ok(())
    }

    /// Returns a setting that excludes another which is set; librdkafka takes neither then.
    pub fn contradiction(&self) -> Option<PropertyError> {
        let is_idempotent = self.is_idempotent();
        let is_all = |value: &str| matches!(value, "-1" | "all");
        let refused = |name: &str, why| PropertyError::Refused { name: name.to_owned(), why };
        let number = |name: &str| self.0.get(name).and_then(|value| value.parse::<u32>().ok());
        match () {
            () if self.get("security.protocol").is_some_and(|value| value.starts_with("sasl"))
                && self.get("sasl.mechanisms").is_none() =>
            {
                Some(refused("security.protocol", "it needs `sasl.mechanisms` beside it"))
            }
            () if !is_idempotent => None,
            () if self.0.get("acks").is_some_and(|value| !is_all(value)) => {
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

    /// Returns whether a record that is sent again by librdkafka is stored once.
    pub fn is_idempotent(&self) -> bool {
        self.0.get("enable.idempotence").is_none_or(|value| matches!(value, "true" | "t" | "1"))
    }

    /// Returns a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name)
    }

    /// Makes room for so many records at a time.
    pub(super) fn config(&self, records: usize) -> ClientConfig {
        const ROOM: &str = "queue.buffering.max.messages";
        let mut config = self.0.clone();
        if config.get(ROOM).is_none() {
            config.set(ROOM, records.max(100_000).to_string());
        }
        config
    }

    /// Returns all settings but those that are secret, in an order of their own.
    pub(super) fn shown(&self) -> String {
        format!("{:?}", self.0.config_map())
    }
}

fn refusal(name: &str, value: &str) -> Option<&'static str> {
    if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
        return Some(why);
    }
    match name {
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
