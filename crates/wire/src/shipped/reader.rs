//! The reader of one source's bodies: its options and state.
//!
//! In: the options of a source. Out: a reader; each format adds the method that reads its bodies.
//! Holds: a decoder, and the names of the current body.

mod names;
mod otlp_names;

use crate::decode::{DecodeOptions, Decoder, ParseFlags, StampReader};
use names::Names;
pub(super) use otlp_names::NameSet;
pub use otlp_names::OtlpNames;

/// Reads the bodies that one source receives. Every method reads `batch.received_bytes` and sets `origin` on its
/// messages.
pub struct ShippedReader {
    pub(super) decoder: Decoder,
    pub(super) stamps: StampReader,
    pub(super) options: DecodeOptions,
    pub(super) prefix: Vec<u8>,
    pub(super) names: Names,
    pub(super) otlp_names: OtlpNames,
}

impl ShippedReader {
    /// Makes a reader. `prefix` is put before the names of fields that every message does not have.
    pub fn new(options: DecodeOptions, prefix: &str) -> ShippedReader {
        // RFC 5424 first, RFC 3164 when it is not that.
        let flags = options.flags.with(ParseFlags::SYSLOG_PROTOCOL);
        ShippedReader {
            decoder: Decoder::new(DecodeOptions { flags, ..options.clone() }),
            stamps: StampReader::new(options.zone.clone()),
            options,
            prefix: prefix.as_bytes().to_vec(),
            names: Names::default(),
            otlp_names: OtlpNames::default(),
        }
    }

    /// Makes it name the pairs of OpenTelemetry's records in another way.
    pub fn with_otlp_names(self, otlp_names: OtlpNames) -> ShippedReader {
        ShippedReader { otlp_names, ..self }
    }
}
