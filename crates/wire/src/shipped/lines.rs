//! Lines: each a JSON object or text; text that begins with a priority is read as syslog. Also one JSON array of
//! objects, as some shippers send them.
//!
//! In: a body. Out: a message per line. Holds: nothing.
//! Limits: none of its own: no line is refused; one that only looks like JSON is text.

use super::{
    BodyError, ShippedReader, document,
    encoding::json::{Json, Token},
    entry::{Datum, Entries},
};
use crate::protocol::LumberjackEvent;
use message::{Batch, Mark, Span};
use std::ops::Range;

impl ShippedReader {
    /// Reads lines of JSON or text.
    pub fn lines(&mut self, batch: &mut Batch, origin: u16) {
        let body = batch.received_bytes.clone();
        let mut entries = self.entries(batch, origin);
        let start = body.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(body.len());
        if body.get(start) == Some(&b'[') {
            let before = entries.batch.len();
            if array(&body, start + 1, &mut entries).is_ok() {
                return;
            }
            entries.batch.messages.truncate(before);
        }
        for line in each(&body, 0..body.len()) {
            one(&body, line, &mut entries);
        }
    }

    /// Reads lines of text.
    pub fn text_lines(&mut self, batch: &mut Batch, origin: u16) {
        let body = batch.received_bytes.clone();
        let mut entries = self.entries(batch, origin);
        for line in each(&body, 0..body.len()) {
            text(&body, line, &mut entries);
        }
    }

    /// Reads a body that is one JSON object, or an array of them.
    pub fn documents(&mut self, batch: &mut Batch, origin: u16) -> Result<(), BodyError> {
        let body = batch.received_bytes.clone();
        let before = batch.len();
        let mut entries = self.entries(batch, origin);
        let mut json = Json::new(&body, 0);
        let read = match json.token() {
            Ok(Token::Array) => array(&body, json.at, &mut entries),
            Ok(Token::Object) => {
                let start = json.at - 1;
                document::message(&mut json, &body, &mut entries, start).and_then(|()| ended(&mut json))
            }
            Ok(_) => Err(BodyError { offset: 0, reason: "no JSON object" }),
            Err(error) => Err(error),
        };
        if read.is_err() {
            batch.messages.truncate(before);
        }
        read
    }
}

impl ShippedReader {
    /// Reads events of Beats, each a JSON object. Others still become messages: the bytes are the text, and the message is marked.
    /// Returns the number of those.
    pub fn events(&mut self, batch: &mut Batch, events: &[LumberjackEvent], origin: u16) -> usize {
        let body = batch.received_bytes.clone();
        let mut entries = self.entries(batch, origin);
        let mut odd = 0;
        for event in events {
            let range = event.range.clone();
            let before = entries.batch.len();
            let mut json = Json::within(&body, range.clone());
            let is_object = json.token() == Ok(Token::Object);
            if !is_object
                || document::message(&mut json, &body, &mut entries, range.start).is_err()
                || !json.is_at_end()
            {
                entries.batch.messages.truncate(before);
                odd += 1;
                entries.begin(Span::received(range.start, range.len()));
                entries.end();
                entries.message().marks.add(if event.is_cut { Mark::Truncated } else { Mark::ParseError });
            }
        }
        odd
    }
}

fn ended(json: &mut Json<'_>) -> Result<(), BodyError> {
    if json.is_at_end() { Ok(()) } else { Err(json.wrong("something behind the JSON")) }
}

/// Reads the elements of an array whose bracket is read: objects and texts.
fn array(body: &[u8], at: usize, entries: &mut Entries<'_>) -> Result<(), BodyError> {
    let mut json = Json::new(body, at);
    let mut first = true;
    while json.element(&mut first)? {
        match json.token()? {
            Token::Object => {
                let start = json.at - 1;
                document::message(&mut json, body, entries, start)?;
            }
            Token::Text(text) => {
                let raw = entries.text(body, text);
                entries.begin(raw);
                entries.end();
            }
            _ => return Err(json.wrong("no JSON object")),
        }
    }
    ended(&mut json)
}

/// Returns the lines of a part of the body that are not blank, without their ends.
pub(super) fn each(body: &[u8], part: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = part.end;
    let mut at = part.start;
    std::iter::from_fn(move || {
        while at < end {
            let start = at;
            let stop = memchr::memchr(b'\n', &body[at..end]).map_or(end, |step| at + step);
            at = stop + 1;
            let kept = body[start..stop].iter().rposition(|byte| !matches!(byte, b'\r' | b' ' | b'\t'));
            if let Some(last) = kept {
                return Some(start..start + last + 1);
            }
        }
        None
    })
}

fn one(body: &[u8], line: Range<usize>, entries: &mut Entries<'_>) {
    if body[line.start] == b'{' {
        let mut json = Json::within(body, line.start + 1..line.end);
        let read = document::message(&mut json, body, entries, line.start);
        if read.is_ok() && json.is_at_end() {
            return;
        }
        if read.is_ok() {
            entries.forget();
        }
    }
    text(body, line, entries);
}

/// Adds a line of text as a message.
pub(super) fn text(body: &[u8], line: Range<usize>, entries: &mut Entries<'_>) {
    let raw = Span::received(line.start, line.len());
    if body[line.start] == b'<' {
        return entries.decode(raw);
    }
    entries.begin(raw);
    entries.put(super::entry::known::KnownField::Text, Datum::text(raw));
    entries.end();
}
