//! What readers and writers of Apache Kafka share: the settings of librdkafka, and its words in our log.
//!
//! In: names and values of `config()`, lines of librdkafka. Out: settings that it takes, lines of our log.
//! Holds: no connection; the clients belong to sources and destinations. Limits: see each module.

mod properties;
mod words;

pub use properties::{ClientRole, Properties, PropertyError};
pub use words::{LibraryLog, plain};
