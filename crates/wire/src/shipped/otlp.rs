//! OpenTelemetry's log records, as `ExportLogsServiceRequest`: protobuf here, JSON in [`json`].
//!
//! In: a body. Out: a message per record. Its attributes are pairs under their names, those of its resource under
//! `resource.`, those of its scope under `scope.`. `host.name`, `service.name` and `process.pid` of the resource are
//! host, program and pid; the severity is mapped according to OpenTelemetry's data model.
//! Holds: the attributes of the current resource and scope.
//! Limits: values nested deeper than [`value::NESTED_MAX`] are left out; a body that cannot be read is refused as a
//! whole.

mod json;
mod value;

use super::{
    BodyError, ShippedReader,
    encoding::protobuf::{Field, Fields},
    entry::known::KnownField,
    entry::moment,
    entry::{Datum, Entries},
};
use message::{Batch, Severity, Span, ValueKind};
use std::ops::Range;
use value::Shared;

impl ShippedReader {
    /// Reads a body of protobuf.
    pub fn otlp_protobuf(&mut self, batch: &mut Batch, origin: u16) -> Result<(), BodyError> {
        let body = batch.received_bytes.clone();
        self.whole(batch, origin, |entries| {
            each(&body, 0..body.len(), 1, |range| resource_logs(&body, range, entries))
        })
    }
}

/// Calls `read` for each message under a field number.
fn each(
    body: &[u8],
    range: Range<usize>,
    wanted: u32,
    mut read: impl FnMut(Range<usize>) -> Result<(), BodyError>,
) -> Result<(), BodyError> {
    for field in Fields::of(body, range) {
        let (number, field) = field?;
        if let Some(range) = field.bytes().filter(|_| number == wanted) {
            read(range)?;
        }
    }
    Ok(())
}

/// Reads `ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2 }`.
fn resource_logs(body: &[u8], range: Range<usize>, entries: &mut Entries<'_>) -> Result<(), BodyError> {
    let mut resource = Shared::new();
    // `Resource { repeated KeyValue attributes = 1 }`
    each(body, range.clone(), 1, |range| {
        each(body, range, 1, |range| value::key_value(body, range, b"resource.", entries, &mut resource))
    })?;
    each(body, range, 2, |range| scope_logs(body, range, entries, &resource))
}

/// Reads `ScopeLogs { InstrumentationScope scope = 1; repeated LogRecord log_records = 2 }`.
fn scope_logs(
    body: &[u8],
    range: Range<usize>,
    entries: &mut Entries<'_>,
    resource: &Shared,
) -> Result<(), BodyError> {
    let mut shared = resource.clone();
    each(body, range.clone(), 1, |range| scope(body, range, entries, &mut shared))?;
    each(body, range, 2, |range| record(body, range, entries, &shared))
}

/// Reads `InstrumentationScope { string name = 1; string version = 2; repeated KeyValue attributes = 3 }`.
fn scope(
    body: &[u8],
    range: Range<usize>,
    entries: &mut Entries<'_>,
    shared: &mut Shared,
) -> Result<(), BodyError> {
    for field in Fields::of(body, range) {
        let (number, field) = field?;
        let Some(range) = field.bytes().filter(|range| !range.is_empty()) else { continue };
        let text = Datum::text(Span::received(range.start, range.len()));
        match number {
            1 => shared.push((b"scope.name".to_vec(), text)),
            2 => shared.push((b"scope.version".to_vec(), text)),
            3 => value::key_value(body, range, b"scope.", entries, shared)?,
            _ => {}
        }
    }
    Ok(())
}

/// The fields of a record, in either encoding.
#[derive(Default)]
struct Record {
    time_nanos: u64,
    observed_nanos: u64,
    severity: u64,
    severity_text: Option<Datum>,
    body: Option<Datum>,
    /// `trace_id`, `span_id`, `event_name`
    ids: Vec<(&'static [u8], Datum)>,
    attributes: Shared,
}

/// Reads `LogRecord`.
fn record(
    body: &[u8],
    range: Range<usize>,
    entries: &mut Entries<'_>,
    shared: &Shared,
) -> Result<(), BodyError> {
    let raw = Span::received(range.start, range.len());
    let mut record = Record::default();
    for field in Fields::of(body, range) {
        let (number, field) = field?;
        match (number, field) {
            (1, field) => record.time_nanos = field.number().unwrap_or(0),
            (11, field) => record.observed_nanos = field.number().unwrap_or(0),
            (2, field) => record.severity = field.number().unwrap_or(0),
            (3, Field::Bytes(range)) => {
                record.severity_text = Some(Datum::text(Span::received(range.start, range.len())));
            }
            (5, Field::Bytes(range)) => record.body = value::any(body, range, entries)?,
            (6, Field::Bytes(range)) => {
                value::key_value(body, range, b"", entries, &mut record.attributes)?;
            }
            (9, Field::Bytes(range)) => record.ids.extend(hex(body, range, b"trace_id", entries)),
            (10, Field::Bytes(range)) => record.ids.extend(hex(body, range, b"span_id", entries)),
            (12, Field::Bytes(range)) => {
                record.ids.push((b"event_name", Datum::text(Span::received(range.start, range.len()))));
            }
            _ => {}
        }
    }
    push(entries, raw, record, shared);
    Ok(())
}

/// Returns an identifier in hexadecimal; `None` when it is empty.
fn hex(
    body: &[u8],
    range: Range<usize>,
    name: &'static [u8],
    entries: &mut Entries<'_>,
) -> Option<(&'static [u8], Datum)> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let text: Vec<u8> = body[range]
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]])
        .collect();
    (!text.is_empty()).then(|| (name, Datum::text(entries.batch.add_extra(&text))))
}

/// Makes the message of a record.
fn push(entries: &mut Entries<'_>, raw: Span, record: Record, shared: &Shared) {
    entries.begin(raw);
    let nanos = if record.time_nanos != 0 { record.time_nanos } else { record.observed_nanos };
    if let Some(stamp) = moment::from_nanos(nanos) {
        entries.set_time(stamp);
    }
    if let Some(severity) = severity(record.severity) {
        entries.set_severity(severity);
        let number = entries.batch.add_extra(record.severity.to_string().as_bytes());
        entries.value(b"severity_number", Datum { span: number, kind: ValueKind::Integer });
    }
    if let Some(text) = record.severity_text.filter(|text| !text.span.is_empty()) {
        entries.put(KnownField::Severity, text);
        entries.value(b"severity_text", text);
    }
    if let Some(body) = record.body {
        entries.message().text = body.span;
    }
    for (name, datum) in record.ids {
        entries.value(name, datum);
    }
    for (name, datum) in &record.attributes {
        entries.field(name, *datum);
    }
    for (name, datum) in shared {
        let place = match name.as_slice() {
            b"resource.host.name" => Some(KnownField::Host),
            b"resource.service.name" => Some(KnownField::Program),
            b"resource.process.pid" => Some(KnownField::Pid),
            _ => None,
        };
        if let Some(place) = place {
            entries.put(place, *datum);
        }
        entries.value(name, *datum);
    }
}

/// Maps OpenTelemetry's severities 1 to 24 to syslog's 7 to 0; `None` for a record without one.
fn severity(number: u64) -> Option<Severity> {
    Some(Severity(match number {
        1..=8 => 7,
        9 => 6,
        10..=12 => 5,
        13..=16 => 4,
        17 => 3,
        18 => 2,
        19 | 20 => 1,
        21..=24 => 0,
        _ => return None,
    }))
}
