//! Reads the requests of log shippers over HTTP into batches: Elasticsearch bulk, Loki, OTLP, Splunk HEC, GELF, lines,
//! the export format of the journal.
//!
//! In: a complete, decompressed body, as the received bytes of a batch. Out: messages whose fields are slices of it,
//! with name-value pairs with the sender's types. Fields that mean host, program, severity or time set those of the
//! message ([`entry::known`]); all others keep their names. Holds: the names of one body, so that each is stored
//! once.
//! Limits: total: a body yields messages or one error; nesting [`encoding::json::DEPTH_MAX`], fields
//! [`entry::FIELDS_MAX`].

mod body_error;
mod bulk;
mod document;
mod encoding;
mod entry;
mod gelf;
mod hec;
mod journal;
mod lines;
mod loki;
mod otlp;
mod reader;

pub use body_error::BodyError;
pub use bulk::{BulkItem, BulkOperation};
pub use hec::HecMeta;
pub use otlp::{OtlpParts, OtlpRejection, otlp_request};
pub use reader::OtlpNames;
pub use reader::ShippedReader;

#[cfg(test)]
mod tests;
