//! Loki's push: streams with labels, each with lines and their times.
//!
//! In: a body, JSON or decompressed protobuf. Out: a message per line; labels and structured metadata are pairs, or
//! fields of the message if they mean one: `host`, `job`, `level`, ...
//! Holds: the labels of the current stream. Limits: a body that cannot be read is refused as a whole.

use super::{
    BodyError, ShippedReader, document,
    encoding::json::{Json, Token},
    entry::known::KnownField,
    entry::moment,
    entry::{Datum, Entries},
};
use crate::protocol::protobuf::Fields;
use message::{Batch, Span, Stamp};
use std::ops::Range;

/// A label: its name and value.
type Labels = Vec<(Vec<u8>, Datum)>;

impl ShippedReader {
    /// Reads a body of JSON.
    pub fn loki_json(&mut self, batch: &mut Batch, origin: u16) -> Result<(), BodyError> {
        let body = batch.received_bytes.clone();
        self.whole(batch, origin, |entries| streams(&body, entries))
    }

    /// Reads a body of protobuf.
    pub fn loki_protobuf(&mut self, batch: &mut Batch, origin: u16) -> Result<(), BodyError> {
        let body = batch.received_bytes.clone();
        self.whole(batch, origin, |entries| push_request(&body, entries))
    }

    /// Reads all of a body or nothing.
    pub(super) fn whole(
        &mut self,
        batch: &mut Batch,
        origin: u16,
        read: impl FnOnce(&mut Entries<'_>) -> Result<(), BodyError>,
    ) -> Result<(), BodyError> {
        let before = batch.len();
        let done = read(&mut self.entries(batch, origin));
        if done.is_err() {
            batch.messages.truncate(before);
        }
        done
    }
}

fn streams(body: &[u8], entries: &mut Entries<'_>) -> Result<(), BodyError> {
    let mut json = Json::new(body, 0);
    if json.token()? != Token::Object {
        return Err(json.wrong("no JSON object"));
    }
    let mut first = true;
    while let Some(key) = json.key(&mut first)? {
        let token = json.token()?;
        if &body[key.start..key.end] != b"streams" || token != Token::Array {
            json.skip(token)?;
            continue;
        }
        let mut first = true;
        while json.element(&mut first)? {
            if json.token()? != Token::Object {
                return Err(json.wrong("no stream"));
            }
            stream(&mut json, body, entries)?;
        }
    }
    if json.is_at_end() { Ok(()) } else { Err(json.wrong("something behind the JSON")) }
}

fn stream(json: &mut Json<'_>, body: &[u8], entries: &mut Entries<'_>) -> Result<(), BodyError> {
    let mut labels = Labels::new();
    let mut values = None;
    let mut first = true;
    while let Some(key) = json.key(&mut first)? {
        let at = json.at;
        let token = json.token()?;
        match (&body[key.start..key.end], token) {
            (b"stream", Token::Object) => labels = pairs(json, body, entries)?,
            (b"values", Token::Array) => {
                values = Some(at);
                json.skip(token)?;
            }
            (_, token) => json.skip(token)?,
        }
    }
    let Some(values) = values else { return Ok(()) };
    let mut json = Json::new(body, values);
    json.token()?;
    let mut first = true;
    while json.element(&mut first)? {
        value(&mut json, body, entries, &labels)?;
    }
    Ok(())
}

/// Reads `["1700000000000000000", "line", {"name": "value"}]`.
fn value(
    json: &mut Json<'_>,
    body: &[u8],
    entries: &mut Entries<'_>,
    labels: &Labels,
) -> Result<(), BodyError> {
    if json.token()? != Token::Array {
        return Err(json.wrong("no value of a stream"));
    }
    let start = json.at - 1;
    let mut first = true;
    if !json.element(&mut first)? {
        return Err(json.wrong("no time of a line"));
    }
    let nanos = match json.token()? {
        Token::Text(text) => number(&body[text.start..text.end]),
        Token::Number { start, end } => number(&body[start..end]),
        _ => None,
    };
    let Some(nanos) = nanos else { return Err(json.wrong("no time of a line")) };
    if !json.element(&mut first)? {
        return Err(json.wrong("no line"));
    }
    let Token::Text(line) = json.token()? else { return Err(json.wrong("no line")) };
    let line = entries.text(body, line);
    let mut metadata = Labels::new();
    while json.element(&mut first)? {
        match json.token()? {
            Token::Object => metadata = pairs(json, body, entries)?,
            token => json.skip(token)?,
        }
    }
    let raw = Span::received(start, json.at - start);
    message(entries, (raw, line), moment::from_nanos(nanos), [&metadata, labels]);
    Ok(())
}

/// Reads the pairs of an object whose brace is read.
fn pairs(json: &mut Json<'_>, body: &[u8], entries: &mut Entries<'_>) -> Result<Labels, BodyError> {
    let mut labels = Labels::new();
    let mut first = true;
    while let Some(key) = json.key(&mut first)? {
        let mut name = Vec::new();
        super::encoding::json::unescape(&body[key.start..key.end], &mut name);
        let token = json.token()?;
        let datum = match token {
            Token::Object | Token::Array => document::rest(json, token)?,
            token => entries.scalar(body, token),
        };
        labels.push((name, datum));
    }
    Ok(labels)
}

fn number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn message(entries: &mut Entries<'_>, (raw, line): (Span, Span), time: Option<Stamp>, sets: [&Labels; 2]) {
    entries.begin(raw);
    entries.message().text = line;
    if let Some(time) = time {
        entries.set_time(time);
    }
    for (name, datum) in sets.into_iter().flatten() {
        let place = match name.as_slice() {
            b"host" | b"hostname" | b"instance" | b"node_name" | b"nodename" => Some(KnownField::Host),
            b"job" | b"app" | b"application" | b"service_name" | b"syslog_identifier" => {
                Some(KnownField::Program)
            }
            b"level" | b"severity" | b"detected_level" => Some(KnownField::Severity),
            b"facility" => Some(KnownField::Facility),
            b"pid" => Some(KnownField::Pid),
            _ => None,
        };
        if let Some(place) = place {
            entries.put(place, *datum);
        }
        // A label is also kept as a pair: streams are searched by it.
        entries.value(name, *datum);
    }
    entries.end();
}

/// Reads `PushRequest { repeated StreamAdapter streams = 1 }`.
fn push_request(body: &[u8], entries: &mut Entries<'_>) -> Result<(), BodyError> {
    for field in Fields::of(body, 0..body.len()) {
        if let (1, field) = field?
            && let Some(range) = field.bytes()
        {
            adapter(body, range, entries)?;
        }
    }
    Ok(())
}

/// Reads `StreamAdapter { string labels = 1; repeated EntryAdapter entries = 2 }`.
fn adapter(body: &[u8], range: Range<usize>, entries: &mut Entries<'_>) -> Result<(), BodyError> {
    let mut labels = Labels::new();
    for field in Fields::of(body, range.clone()) {
        if let (1, field) = field?
            && let Some(range) = field.bytes()
        {
            labels = selector(body, range, entries)?;
        }
    }
    for field in Fields::of(body, range) {
        if let (2, field) = field?
            && let Some(range) = field.bytes()
        {
            entry(body, range, entries, &labels)?;
        }
    }
    Ok(())
}

/// Reads `EntryAdapter { Timestamp timestamp = 1; string line = 2; repeated LabelPair structuredMetadata = 3 }`.
fn entry(
    body: &[u8],
    range: Range<usize>,
    entries: &mut Entries<'_>,
    labels: &Labels,
) -> Result<(), BodyError> {
    let raw = Span::received(range.start, range.len());
    let mut line = Span::EMPTY;
    let mut time = None;
    let mut metadata = Labels::new();
    for field in Fields::of(body, range) {
        match field? {
            (1, field) => {
                let Some(range) = field.bytes() else { continue };
                time = timestamp(body, range)?;
            }
            (2, field) => {
                let Some(range) = field.bytes() else { continue };
                line = Span::received(range.start, range.len());
            }
            (3, field) => {
                let Some(range) = field.bytes() else { continue };
                metadata.extend(pair(body, range)?);
            }
            _ => {}
        }
    }
    message(entries, (if line.is_empty() { raw } else { line }, line), time, [&metadata, labels]);
    Ok(())
}

/// Reads `Timestamp { int64 seconds = 1; int32 nanos = 2 }`.
fn timestamp(body: &[u8], range: Range<usize>) -> Result<Option<Stamp>, BodyError> {
    let (mut seconds, mut nanos) = (0, 0);
    for field in Fields::of(body, range) {
        match field? {
            (1, field) => seconds = field.number().unwrap_or(0),
            (2, field) => nanos = field.number().unwrap_or(0),
            _ => {}
        }
    }
    let whole = seconds.checked_mul(1_000_000_000).and_then(|whole| whole.checked_add(nanos));
    Ok(whole.and_then(moment::from_nanos))
}

/// Reads `LabelPair { string name = 1; string value = 2 }`.
fn pair(body: &[u8], range: Range<usize>) -> Result<Option<(Vec<u8>, Datum)>, BodyError> {
    let (mut name, mut value) = (None, Span::EMPTY);
    for field in Fields::of(body, range) {
        match field? {
            (1, field) => name = field.bytes().map(|range| body[range].to_vec()),
            (2, field) => {
                value = field.bytes().map_or(value, |range| Span::received(range.start, range.len()))
            }
            _ => {}
        }
    }
    Ok(name.map(|name| (name, Datum::text(value))))
}

/// Reads `{name="value", other="with \"quotes\""}`.
fn selector(body: &[u8], range: Range<usize>, entries: &mut Entries<'_>) -> Result<Labels, BodyError> {
    let mut labels = Labels::new();
    let wrong = |offset| BodyError { offset, reason: "no labels of a stream" };
    let end = range.end;
    let blank =
        |at: usize| at + body[at..end].iter().take_while(|byte| matches!(byte, b' ' | b',' | b'{')).count();
    let mut at = blank(range.start);
    while at < end && body[at] != b'}' {
        let equals = memchr::memchr(b'=', &body[at..end]).map(|step| at + step).ok_or(wrong(at))?;
        let name = body[at..equals].trim_ascii().to_vec();
        let mut json = Json::within(body, equals + 1..end);
        let Token::Text(text) = json.token()? else { return Err(wrong(equals)) };
        labels.push((name, Datum::text(entries.text(body, text))));
        at = blank(json.at);
    }
    Ok(labels)
}
