//! OpenTelemetry's log records in JSON.
//!
//! In: a body. Out: the same messages as from protobuf. Holds: the current attributes.
//! Limits: lists and maps as values stay in OpenTelemetry's own JSON.

use super::{
    super::{
        BodyError, ShippedReader, document,
        encoding::json::{Json, Token, unescape},
        entry::{Datum, Entries},
    },
    Record, push,
    value::Shared,
};
use message::{Batch, Span, ValueKind};

impl ShippedReader {
    /// Reads a body of JSON.
    pub fn otlp_json(&mut self, batch: &mut Batch, origin: u16) -> Result<(), BodyError> {
        let body = batch.received_bytes.clone();
        self.whole(batch, origin, |entries| {
            let mut json = Json::new(&body, 0);
            let known = members(&mut json, &body, ["resourceLogs"])?;
            if !json.is_at_end() {
                return Err(json.wrong("something behind the JSON"));
            }
            elements(&body, known[0], |json| resource_logs(json, &body, entries))
        })
    }
}

/// Returns the offsets of some members of the next object.
fn members<const COUNT: usize>(
    json: &mut Json<'_>,
    body: &[u8],
    names: [&str; COUNT],
) -> Result<[Option<usize>; COUNT], BodyError> {
    if json.token()? != Token::Object {
        return Err(json.wrong("no JSON object"));
    }
    let mut places = [None; COUNT];
    let mut first = true;
    while let Some(key) = json.key(&mut first)? {
        if let Some(index) = names.iter().position(|name| name.as_bytes() == &body[key.start..key.end]) {
            places[index] = Some(json.at);
        }
        let token = json.token()?;
        json.skip(token)?;
    }
    Ok(places)
}

/// Calls `read` before each element of the array at an offset.
fn elements(
    body: &[u8],
    place: Option<usize>,
    mut read: impl FnMut(&mut Json<'_>) -> Result<(), BodyError>,
) -> Result<(), BodyError> {
    let Some(place) = place else { return Ok(()) };
    let mut json = Json::new(body, place);
    if json.token()? != Token::Array {
        return Ok(());
    }
    let mut first = true;
    while json.element(&mut first)? {
        read(&mut json)?;
    }
    Ok(())
}

fn resource_logs(json: &mut Json<'_>, body: &[u8], entries: &mut Entries<'_>) -> Result<(), BodyError> {
    let [resource, scopes] = members(json, body, ["resource", "scopeLogs"])?;
    let mut shared = Shared::new();
    let names = entries.otlp_names().set();
    if let Some(resource) = resource {
        let [attributes] = members(&mut Json::new(body, resource), body, ["attributes"])?;
        elements(body, attributes, |json| key_value(json, body, names.resource, entries, &mut shared))?;
    }
    elements(body, scopes, |json| scope_logs(json, body, entries, &shared))
}

fn scope_logs(
    json: &mut Json<'_>,
    body: &[u8],
    entries: &mut Entries<'_>,
    resource: &Shared,
) -> Result<(), BodyError> {
    let [scope, records] = members(json, body, ["scope", "logRecords"])?;
    let mut shared = resource.clone();
    let names = entries.otlp_names().set();
    if let Some(scope) = scope {
        let places = members(&mut Json::new(body, scope), body, ["name", "version", "attributes"])?;
        for (name, place) in [(names.scope_name, places[0]), (names.scope_version, places[1])] {
            let datum = place.map(|place| scalar_at(body, place, entries)).transpose()?;
            shared.extend(datum.filter(|datum| !datum.span.is_empty()).map(|datum| (name.to_vec(), datum)));
        }
        elements(body, places[2], |json| key_value(json, body, names.scope, entries, &mut shared))?;
    }
    elements(body, records, |json| record(json, body, entries, &shared))
}

/// Returns the value at an offset; objects and arrays stay JSON.
fn scalar_at(body: &[u8], place: usize, entries: &mut Entries<'_>) -> Result<Datum, BodyError> {
    let mut json = Json::new(body, place);
    match json.token()? {
        token @ (Token::Object | Token::Array) => document::rest(&mut json, token),
        token => Ok(entries.scalar(body, token)),
    }
}

/// Reads `{"key": "name", "value": {...}}`.
fn key_value(
    json: &mut Json<'_>,
    body: &[u8],
    before: &[u8],
    entries: &mut Entries<'_>,
    out: &mut Shared,
) -> Result<(), BodyError> {
    let [key, value] = members(json, body, ["key", "value"])?;
    let mut name = before.to_vec();
    if let Some(key) = key
        && let Token::Text(text) = Json::new(body, key).token()?
    {
        unescape(&body[text.start..text.end], &mut name);
    }
    let datum = value.map(|value| any(body, value, entries)).transpose()?.flatten();
    out.push((name, datum.unwrap_or(Datum { span: Span::EMPTY, kind: ValueKind::Null })));
    Ok(())
}

/// Reads `{"stringValue": "text"}` and its kind.
fn any(body: &[u8], place: usize, entries: &mut Entries<'_>) -> Result<Option<Datum>, BodyError> {
    let mut json = Json::new(body, place);
    if json.token()? != Token::Object {
        return Err(json.wrong("no value"));
    }
    let Some(key) = json.key(&mut true)? else { return Ok(None) };
    let mut datum = scalar_at(body, json.at, entries)?;
    datum.kind = match &body[key.start..key.end] {
        // Whole numbers are texts in this JSON, so that JavaScript does not round them.
        b"intValue" => ValueKind::Integer,
        b"doubleValue" => ValueKind::Double,
        b"boolValue" => ValueKind::Boolean,
        b"arrayValue" | b"kvlistValue" => ValueKind::Json,
        _ => ValueKind::String,
    };
    Ok(Some(datum))
}

const RECORD: [&str; 9] = [
    "timeUnixNano",
    "observedTimeUnixNano",
    "severityNumber",
    "severityText",
    "body",
    "attributes",
    "traceId",
    "spanId",
    "eventName",
];

fn record(
    json: &mut Json<'_>,
    body: &[u8],
    entries: &mut Entries<'_>,
    shared: &Shared,
) -> Result<(), BodyError> {
    // The brace comes next, after blanks.
    let start = json.at + body[json.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let places = members(json, body, RECORD)?;
    let raw = Span::received(start, json.at - start);
    let [time, observed, severity, severity_text, text, attributes, trace, span, event] = places;
    let mut record = Record {
        time_nanos: number(body, time, entries)?,
        observed_nanos: number(body, observed, entries)?,
        severity: number(body, severity, entries)?,
        ..Record::default()
    };
    record.severity_text = severity_text.map(|place| scalar_at(body, place, entries)).transpose()?;
    record.body = text.map(|place| any(body, place, entries)).transpose()?.flatten();
    let names = entries.otlp_names().set();
    for (name, place) in [(names.trace_id, trace), (names.span_id, span), (names.event_name, event)] {
        let datum = place.map(|place| scalar_at(body, place, entries)).transpose()?;
        record.ids.extend(datum.filter(|datum| !datum.span.is_empty()).map(|datum| (name, datum)));
    }
    elements(body, attributes, |json| {
        key_value(json, body, names.attributes, entries, &mut record.attributes)
    })?;
    push(entries, raw, record, shared);
    Ok(())
}

/// Reads a number, which may be written as text; a severity may be `SEVERITY_NUMBER_WARN2`.
fn number(body: &[u8], place: Option<usize>, entries: &mut Entries<'_>) -> Result<u64, BodyError> {
    let Some(place) = place else { return Ok(0) };
    let datum = scalar_at(body, place, entries)?;
    let text = std::str::from_utf8(entries.batch.bytes(datum.span)).unwrap_or_default();
    Ok(text.parse().ok().or_else(|| severity_number(text)).unwrap_or(0))
}

fn severity_number(text: &str) -> Option<u64> {
    let word = text.strip_prefix("SEVERITY_NUMBER_")?;
    let digits = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let level = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"]
        .iter()
        .position(|level| *level == &word[..word.len() - digits.len()])?;
    let step = if digits.is_empty() {
        1
    } else {
        digits.parse::<u64>().ok().filter(|step| (1..=4).contains(step))?
    };
    Some(level as u64 * 4 + step)
}
