//! What log shippers post over HTTP, read into batches: Elasticsearch bulk, Loki, OTLP, Splunk HEC, GELF, lines,
//! the export format of the journal.
//!
//! In: a whole body, unpacked, as the received bytes of a batch. Out: messages whose fields are slices of it, with
//! name-value pairs of the types that the sender gave. Fields that mean host, program, severity or time are put
//! there ([`entry::known`]); all others keep their names. Holds: the names of one body, so that each is stored once.
//! Limits: total: a body gives messages or one error; nesting [`encoding::json::DEPTH_MAX`], fields [`entry::FIELDS_MAX`].

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
pub use reader::ShippedReader;

#[cfg(test)]
mod tests;
