//! Messages to lines, for syslog destinations.
//!
//! In: a message of a batch. Out: its line with its framing, appended to one buffer; fields are copied as slices.
//! Holds: the text of the last timestamp. Allocates nothing per message once the buffer has grown.
//! Limits: none of its own; fields of RFC 5424 are cut at the RFC's lengths.

mod framed;
mod rfc3164;
mod rfc5424;
mod sdata;

use crate::{Framing, StampFormat, StampText};
use jiff::tz::TimeZone;
use message::Batch;

pub use rfc3164::append_legacy_header;
pub use sdata::{append_sdata, append_sdata_numbered};

/// The format of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// `<PRI>Mmm dd hh:mm:ss HOST PROGRAM[PID]: MESSAGE`: the `network()` destination.
    Rfc3164,
    /// RFC 5424: the `syslog()` destination and `flags(syslog-protocol)`.
    Rfc5424,
}

/// Options of a destination that concern its lines.
#[derive(Clone, Debug)]
pub struct EncodeOptions {
    /// The format of a line.
    pub dialect: Dialect,
    /// The framing around a line. `Auto` writes lines.
    pub framing: Framing,
    /// `ts-format()`, for RFC 3164; RFC 5424 has one form only.
    pub stamp_format: StampFormat,
    /// `frac-digits()`.
    pub fraction_digits: u8,
    /// `time-zone()` or `send-time-zone()`; without one, times keep their own offset.
    pub zone: Option<TimeZone>,
    /// Stands for a host that is unknown. RFC 3164 writes it, RFC 5424 writes NIL when it is empty.
    pub unknown_host: Vec<u8>,
}

impl EncodeOptions {
    /// Returns the defaults of a dialect.
    pub fn new(dialect: Dialect, framing: Framing) -> EncodeOptions {
        EncodeOptions {
            dialect,
            framing,
            stamp_format: StampFormat::Bsd,
            fraction_digits: 0,
            zone: None,
            unknown_host: Vec::new(),
        }
    }
}

/// Writes the lines of one destination.
#[derive(Clone, Debug)]
pub struct Encoder {
    dialect: Dialect,
    framing: Framing,
    unknown_host: Vec<u8>,
    stamps: StampText,
}

impl Encoder {
    /// Makes an encoder of one destination.
    pub fn new(options: EncodeOptions) -> Encoder {
        let format = match options.dialect {
            Dialect::Rfc3164 => options.stamp_format,
            Dialect::Rfc5424 => StampFormat::Iso,
        };
        let stamps = StampText::new(format, options.fraction_digits, options.zone);
        let EncodeOptions { dialect, framing, unknown_host, .. } = options;
        Encoder { dialect, framing, unknown_host, stamps }
    }

    /// Appends a message with its framing.
    #[inline]
    pub fn append(&mut self, batch: &Batch, index: usize, out: &mut Vec<u8>) {
        self.append_numbered(batch, index, None, out);
    }

    /// Appends a message with its framing; RFC 5424 also gets the sequence number, for messages of this host.
    pub fn append_numbered(&mut self, batch: &Batch, index: usize, sequence: Option<u64>, out: &mut Vec<u8>) {
        let start = out.len();
        match self.dialect {
            Dialect::Rfc3164 => self.append_rfc3164(batch, index, out),
            Dialect::Rfc5424 => self.append_rfc5424(batch, index, sequence, out),
        }
        framed::close(self.framing, start, out);
    }

    /// Appends text that a template made, with this destination's framing.
    pub fn append_text(&self, text: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(text);
        framed::close(self.framing, start, out);
    }
}

#[cfg(test)]
mod tests;
