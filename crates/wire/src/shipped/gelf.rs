//! GELF 1.1: one JSON object whose own fields begin with an underscore.
//!
//! In: a body, or an assembled datagram. Out: one message: `short_message` is its text, `_name` the pair `name`.
//! Holds: nothing. Limits: those of JSON documents. Anything but a JSON object is an error.

use super::{
    BodyError, ShippedReader, document,
    encoding::json::{Json, Token},
    entry::known::{self, KnownField},
    entry::{Datum, Entries},
};
use crate::Frame;
use message::{Batch, Mark, Marks, Span};
use std::ops::Range;

impl ShippedReader {
    /// Reads one GELF message.
    pub fn gelf(&mut self, batch: &mut Batch, origin: u16) -> Result<(), BodyError> {
        let body = batch.received_bytes.clone();
        // Over TCP messages end with a NUL, and some senders also send it elsewhere.
        let end = body.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        one(&body, 0..end, &mut self.entries(batch, origin))
    }

    /// Reads frames that are one GELF message each. Other frames still become messages: the bytes are the text,
    /// and the message is marked. Returns the number of those.
    pub fn gelf_frames(&mut self, batch: &mut Batch, frames: &[Frame], origin: u16) -> usize {
        let body = batch.received_bytes.clone();
        let mut entries = self.entries(batch, origin);
        let mut odd = 0;
        for frame in frames {
            let part = frame.start..frame.end;
            if one(&body, part, &mut entries).is_err() {
                odd += 1;
                entries.begin(Span::received(frame.start, frame.end - frame.start));
                entries.end();
                entries.message().marks.add(Mark::ParseError);
            }
            let message = entries.message();
            message.marks = Marks(message.marks.0 | frame.marks.0);
        }
        odd
    }
}

fn one(body: &[u8], part: Range<usize>, entries: &mut Entries<'_>) -> Result<(), BodyError> {
    let (start, end) = (part.start, part.end);
    let mut json = Json::within(body, part);
    if json.token()? != Token::Object {
        return Err(json.wrong("no JSON object"));
    }
    entries.begin(Span::received(start, end - start));
    let read = document::object(&mut json, body, entries, b"", &field);
    let read = match read {
        Ok(()) if !json.is_at_end() => Err(json.wrong("something behind the JSON")),
        read => read,
    };
    match read {
        Ok(()) => entries.end(),
        Err(_) => entries.forget(),
    }
    read
}

fn field(entries: &mut Entries<'_>, name: &[u8], datum: Datum) {
    let place = match name {
        b"version" => return,
        b"short_message" => Some(KnownField::Text),
        b"host" => Some(KnownField::Host),
        b"timestamp" => Some(KnownField::Time),
        b"level" => Some(KnownField::Severity),
        b"facility" => Some(KnownField::Facility),
        _ => match name.strip_prefix(b"_") {
            // The host and the text of a field must not replace the message's own.
            Some(own) => match known::field(own) {
                Some(KnownField::Text | KnownField::Host | KnownField::Time) | None => {
                    return entries.value(own, datum);
                }
                place => place,
            },
            None => None,
        },
    };
    if !place.is_some_and(|place| entries.put(place, datum)) {
        entries.value(name.strip_prefix(b"_").unwrap_or(name), datum);
    }
}
