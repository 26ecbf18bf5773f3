//! What log shippers post over HTTP, read into batches: Elasticsearch bulk, Loki, OTLP, Splunk HEC, GELF, lines,
//! the export format of the journal.
//!
//! In: a whole body, unpacked, as the received bytes of a batch. Out: messages whose fields are slices of it, with
//! name-value pairs of the types that the sender gave. Fields that mean host, program, severity or time are put
//! there ([`known`]); all others keep their names. Holds: the names of one body, so that each is stored once.
//! Limits: total: a body gives messages or one error; nesting [`json::DEPTH_MAX`], fields [`entry::FIELDS_MAX`].

mod bulk;
mod document;
mod entry;
mod gelf;
mod hec;
mod journal;
mod json;
mod known;
mod lines;
mod loki;
mod moment;
mod otlp;
mod protobuf;

use crate::decode::{DecodeOptions, Decoder, ParseFlags, StampReader};
use entry::Names;
use message::Batch;

pub use bulk::{BulkItem, BulkOperation};
pub use hec::HecMeta;

/// Error in a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodyError {
    /// Where.
    pub offset: usize,
    /// The fault at that byte.
    pub reason: &'static str,
}

impl std::fmt::Display for BodyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot read the body: {} at byte {}", self.reason, self.offset)
    }
}

impl std::error::Error for BodyError {}

/// Reads the bodies that one source is sent. Every method reads `batch.received_bytes` and gives its messages `origin`.
pub struct ShippedReader {
    decoder: Decoder,
    stamps: StampReader,
    options: DecodeOptions,
    prefix: Vec<u8>,
    names: Names,
}

impl ShippedReader {
    /// Makes a reader. `prefix` is put before the names of fields that have no place of their own in a message.
    pub fn new(options: DecodeOptions, prefix: &str) -> ShippedReader {
        // RFC 5424 first, RFC 3164 when it is not that.
        let flags = options.flags.with(ParseFlags::SYSLOG_PROTOCOL);
        ShippedReader {
            decoder: Decoder::new(DecodeOptions { flags, ..options.clone() }),
            stamps: StampReader::new(options.zone.clone()),
            options,
            prefix: prefix.as_bytes().to_vec(),
            names: Names::default(),
        }
    }

    fn entries<'a>(&'a mut self, batch: &'a mut Batch, origin: u16) -> entry::Entries<'a> {
        self.names.clear();
        entry::Entries::new(batch, self, origin)
    }
}

#[cfg(test)]
mod tests;
