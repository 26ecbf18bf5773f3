//! `date-parser()`: a time in a text.
//!
//! In: a text, formats as `strptime` knows them, tried in order. Out: the sender's or received time of the message,
//! or a value with seconds since 1970. A message whose text no format matches completely is stopped. Missing parts
//! are taken from the received time: the day, the nearest year; hours and smaller units are 0.
//! Limits: microseconds; years 1 to 9999.

mod fields;
mod format;

pub use format::{DateFormat, DateFormatError};

use super::{Input, Parser};
use jiff::tz::TimeZone;
use message::{Batch, FieldName, Selection, Stamp, ValueKind};
use template::Renderer;

/// The destination of a time that was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum DateTarget {
    /// `time-stamp(stamp)`: the time of the message.
    #[default]
    Event,
    /// `time-stamp(recvd)`: its time of receiving.
    Received,
    /// `value()`: a value, as seconds since 1970.
    Value(FieldName),
}

/// Reads times.
pub struct Date {
    /// Formats, tried in order.
    pub formats: Vec<DateFormat>,
    /// The text to read.
    pub input: Input,
    /// `time-zone()`: the zone of times without one.
    pub zone: TimeZone,
    /// `flags(guess-timezone)`.
    pub guesses_zone: bool,
    /// The destination of the time.
    pub into: DateTarget,
}

/// Parses a complete text as a time. `zone` applies when the text has none.
pub(in crate::parser) fn read_time(
    format: &DateFormat,
    text: &str,
    received: Stamp,
    zone: &TimeZone,
) -> Option<Stamp> {
    format.read(text)?.stamp(received, zone)
}

impl Date {
    fn read(&self, text: &str, received: Stamp) -> Option<Stamp> {
        let fields = self.formats.iter().find_map(|format| format.read(text))?;
        let stamp = fields.stamp(received, &self.zone)?;
        Some(if self.guesses_zone { wire::guess_zone(stamp, received) } else { stamp })
    }
}

impl Parser for Date {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        let mut read = within.clone();
        for index in within.iter() {
            let place = self.input.span(batch, index, renderer);
            let text = str::from_utf8(batch.bytes(place)).ok();
            let Some(stamp) = text.and_then(|text| self.read(text, batch.received)) else {
                read.remove(index);
                continue;
            };
            match &self.into {
                DateTarget::Event => batch.messages[index].event = stamp,
                DateTarget::Received => batch.set_received(index, stamp),
                DateTarget::Value(name) => {
                    let seconds = format!("{}.{:06}", stamp.unix_s(), stamp.micros());
                    batch.set_field(index, name, seconds.as_bytes(), ValueKind::Datetime);
                }
            }
        }
        read
    }
}
