//! `date-parser()`: a time in a text.
//!
//! In: a text, formats as `strptime` knows them, tried in order. Out: the time of the message, or a value with seconds
//! since 1970. A text that no format reads whole is stopped. What a format lacks is taken from the time of
//! receiving: the day, the year that is nearest; hours and smaller are 0.
//! Limits: microseconds; years 1 to 9999.

mod fields;
mod format;

pub use format::{DateFormat, DateFormatError};

use super::{Input, Parser};
use crate::template::Renderer;
use jiff::tz::TimeZone;
use message::{Batch, FieldName, Selection, Stamp, ValueKind};
use std::io::Write;

/// Reads times.
pub struct Date {
    /// Formats, tried in order.
    pub formats: Vec<DateFormat>,
    /// What is read.
    pub input: Input,
    /// `time-zone()`: of times that tell none.
    pub zone: TimeZone,
    /// `flags(guess-timezone)`.
    pub guesses_zone: bool,
    /// `value()`: the value that gets the time, instead of the message.
    pub into: Option<FieldName>,
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
            let place = self.input.place(batch, index, renderer);
            let text = str::from_utf8(batch.bytes(place)).ok();
            let Some(stamp) = text.and_then(|text| self.read(text, batch.received)) else {
                read.remove(index);
                continue;
            };
            let Some(name) = &self.into else {
                batch.messages[index].event = stamp;
                continue;
            };
            let mut seconds = Vec::with_capacity(24);
            if write!(seconds, "{}.{:06}", stamp.unix_s(), stamp.micros()).is_ok() {
                batch.set_field(index, name, &seconds, ValueKind::Datetime);
            }
        }
        read
    }
}
