//! Frames to messages: RFC 5424, RFC 3164 and everything that calls itself syslog.
//!
//! In: a span of a batch. Out: a message of spans, pushed into the batch; bytes are made only if a field is not
//! a slice of the input (a Cisco header's structured data, sanitised text). Field semantics are syslog-ng 4.8's.
//! Holds: the options, the last timestamps read, a scratch buffer. Allocates nothing per message.
//! Limits: total: every input yields a message, odd ones get marks. It reads each byte at most a few times.

mod flags;
mod host;
mod legacy;
mod options;
mod priority;
mod rfc5424;
mod scan;
mod sdata;
mod stamp;
mod text;
mod words;

use crate::frame::Frame;
use message::{Batch, FieldName, Mark, Marks, Message, Span, ValueKind, sd_params};

pub use flags::{ParseFlags, UnknownFlag};
pub use options::{DecodeOptions, HostnameTest};
use scan::Scan;
pub(crate) use stamp::StampReader;

/// Reads messages of one source.
#[derive(Clone, Debug)]
pub struct Decoder {
    options: DecodeOptions,
    stamps: StampReader,
    made: Vec<u8>,
}

impl Decoder {
    /// Makes a decoder of one source or parser.
    pub fn new(options: DecodeOptions) -> Decoder {
        let stamps = StampReader::new(options.zone.clone());
        Decoder { options, stamps, made: Vec::new() }
    }

    /// Decodes frames of the batch's received bytes, all of one origin.
    pub fn decode_frames(&mut self, batch: &mut Batch, frames: &[Frame], origin: u16) {
        batch.messages.reserve(frames.len());
        for frame in frames {
            self.decode(batch, Span::received(frame.start, frame.end - frame.start), frame.marks, origin);
        }
    }

    /// Decodes one frame and pushes its message.
    #[inline]
    pub fn decode(&mut self, batch: &mut Batch, raw: Span, marks: Marks, origin: u16) {
        let mut message = Message::default();
        message.marks = marks;
        message.origin = origin;
        self.read(batch, raw, &mut message);
        batch.messages.push(message);
        if self.options.sdata_prefix.is_some() {
            self.rename_sdata(batch, batch.len() - 1);
        }
    }

    /// Decodes text that belongs to a message of the batch, as `syslog-parser()` does: fields that the text lacks
    /// are unchanged. Returns false when an RFC 5424 header cannot be read and no fallback is allowed; the message
    /// is then unchanged.
    pub fn decode_into(&mut self, batch: &mut Batch, index: usize, text: Span) -> bool {
        let before = batch.messages[index].clone();
        let mut message = before.clone();
        message.marks = Marks::NONE;
        self.read(batch, text, &mut message);
        if message.marks.has(Mark::ParseError) {
            return false;
        }
        message.raw = before.raw;
        message.marks = Marks(before.marks.0 | message.marks.0);
        let is_new = message.sdata != before.sdata;
        batch.messages[index] = message;
        if is_new && self.options.sdata_prefix.is_some() {
            self.rename_sdata(batch, index);
        }
        true
    }

    /// Moves structured data with names of their own to plain values.
    #[cold]
    fn rename_sdata(&self, batch: &mut Batch, index: usize) {
        let prefix = self.options.sdata_prefix.as_deref().unwrap_or_default();
        let sdata = std::mem::take(&mut batch.messages[index].sdata);
        let named: Vec<(String, Vec<u8>)> = sd_params(batch.bytes(sdata))
            .filter(|param| !param.name.is_empty())
            .map(|param| {
                let (id, name) = (String::from_utf8_lossy(param.id), String::from_utf8_lossy(param.name));
                (format!("{prefix}{id}.{name}"), param.value().into_owned())
            })
            .collect();
        for (name, value) in named {
            batch.set_field(index, &FieldName::parse(&name), &value, ValueKind::String);
        }
    }

    fn read(&mut self, batch: &mut Batch, raw: Span, message: &mut Message) {
        let extra_at = batch.extra.len();
        let received = batch.received;
        let line = batch.bytes(raw);
        let length = stripped_length(line);
        message.raw = raw.part(0, length);
        let mut scan = Scan {
            line: &line[..length],
            raw: message.raw,
            extra_at,
            made: &mut self.made,
            message,
            options: &self.options,
            stamps: &mut self.stamps,
            received,
        };
        scan.message();
        if !self.made.is_empty() {
            batch.extra.extend_from_slice(&self.made);
            self.made.clear();
        }
    }
}

/// Returns the length without the line feeds and NULs at the end.
fn stripped_length(line: &[u8]) -> usize {
    line.iter().rposition(|byte| !matches!(byte, b'\n' | 0)).map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests;
