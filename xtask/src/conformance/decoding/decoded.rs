//! One line through the decoder, shown by the names of syslog-ng's macros.
//!
//! In: a line and options. Out: its fields as text. Holds a batch of one message. Limits: none.

use jiff::tz::TimeZone;
use message::{Ack, Batch, Field, Mark, Message, Origin, Span, Stamp, ZoneQuality};
use std::sync::Arc;
use wire::{DecodeOptions, Decoder, StampFormat, StampText};

/// A decoded line.
pub(super) struct Decoded {
    batch: Batch,
}

impl Decoded {
    /// Decodes one line received at `now_s`.
    pub(super) fn of(line: &[u8], options: DecodeOptions, now_s: i64) -> Decoded {
        let received = Stamp::known(now_s * 1_000_000, 0);
        let origins = vec![Arc::new(Origin::default())];
        let mut batch = Batch::new(Arc::new(line.to_vec()), origins, received, Ack::none());
        let raw = Span::received(0, line.len());
        Decoder::new(options).decode(&mut batch, raw, Default::default(), 0);
        Decoded { batch }
    }

    pub(super) fn message(&self) -> &Message {
        &self.batch.messages[0]
    }

    /// Returns true when the header could be read.
    pub(super) fn is_readable(&self) -> bool {
        !self.message().marks.has(Mark::ParseError)
    }

    /// Returns true when the message has a time.
    pub(super) fn has_time(&self) -> bool {
        self.message().event.quality != ZoneQuality::Absent
    }

    /// A field of every message.
    pub(super) fn field(&self, field: Field) -> String {
        String::from_utf8_lossy(self.batch.fixed(0, field)).into_owned()
    }

    /// The structured data.
    pub(super) fn sdata(&self) -> String {
        String::from_utf8_lossy(self.batch.bytes(self.message().sdata)).into_owned()
    }

    /// A name-value pair, empty when unset.
    pub(super) fn value(&self, name: &str) -> String {
        let value = self.batch.field(0, &message::FieldName::parse(name)).unwrap_or_default();
        String::from_utf8_lossy(&value).into_owned()
    }

    /// The tags, in their order.
    pub(super) fn tags(&self) -> Vec<String> {
        self.batch.tags(0).into_iter().map(|tag| tag.into_owned()).collect()
    }

    /// The sender's time in UTC, whole seconds.
    pub(super) fn isodate(&self) -> String {
        let mut text = Vec::new();
        StampText::new(StampFormat::Iso, 0, Some(TimeZone::UTC)).append(self.message().event, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// Adds a difference when two texts are not equal.
pub(super) fn compare(name: &str, got: &str, want: &str, differences: &mut Vec<String>) {
    if got != want {
        differences.push(format!("{name}: got {got:?}, want {want:?}"));
    }
}
