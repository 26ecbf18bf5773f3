//! OpenTelemetry's log records, as `ExportLogsServiceRequest`: protobuf here, JSON in [`json`]; in the other direction in
//! [`write`].
//!
//! In: a body. Out: a message per record. Its attributes are pairs under their names, those of its resource under
//! `resource.`, those of its scope under `scope.`. `host.name`, `service.name` and `process.pid` of the resource are
//! host, program and pid; the severity is mapped according to OpenTelemetry's data model. [`native`] reads messages that another
//! server of syslog-ng's kind sent whole.
//! Holds: the attributes of the current resource and scope.
//! Limits: values nested deeper than [`value::NESTED_MAX`] are left out; a body that cannot be read is refused as a
//! whole.

mod json;
mod native;
mod value;
mod write;

use super::{
    BodyError, ShippedReader,
    entry::known::KnownField,
    entry::moment,
    entry::{Datum, Entries},
    reader::{NameSet, OtlpNames},
};
use crate::protocol::protobuf::{Field, Fields};
use message::{Batch, Severity, Span, ValueKind};
use std::ops::Range;
use value::Shared;

pub use write::{OtlpParts, OtlpRejection, otlp_request};

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
    let names = entries.otlp_names().set();
    // `Resource { repeated KeyValue attributes = 1 }`
    each(body, range.clone(), 1, |range| {
        each(body, range, 1, |range| value::key_value(body, range, names.resource, entries, &mut resource))
    })?;
    schema(body, range.clone(), b".otel.resource.schema_url", entries, &mut resource)?;
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
    let mut is_native = false;
    each(body, range.clone(), 1, |range| {
        is_native |= scope(body, range, entries, &mut shared)?;
        Ok(())
    })?;
    schema(body, range.clone(), b".otel.scope.schema_url", entries, &mut shared)?;
    each(body, range, 2, |range| match is_native {
        true => native::record(body, range, entries),
        false => record(body, range, entries, &shared),
    })
}

/// Reads `string schema_url = 3` of a resource or a scope, where pairs are named as syslog-ng does.
fn schema(
    body: &[u8],
    range: Range<usize>,
    name: &[u8],
    entries: &Entries<'_>,
    shared: &mut Shared,
) -> Result<(), BodyError> {
    if entries.otlp_names() == OtlpNames::Plain {
        return Ok(());
    }
    each(body, range, 3, |range| {
        if !range.is_empty() {
            shared.push((name.to_vec(), Datum::text(Span::received(range.start, range.len()))));
        }
        Ok(())
    })
}

/// Reads `InstrumentationScope { string name = 1; string version = 2; repeated KeyValue attributes = 3 }`. Returns true for the
/// scope of whole messages.
fn scope(
    body: &[u8],
    range: Range<usize>,
    entries: &mut Entries<'_>,
    shared: &mut Shared,
) -> Result<bool, BodyError> {
    let names = entries.otlp_names().set();
    let mut is_native = false;
    for field in Fields::of(body, range) {
        let (number, field) = field?;
        let Some(range) = field.bytes().filter(|range| !range.is_empty()) else { continue };
        let text = Datum::text(Span::received(range.start, range.len()));
        match number {
            1 => {
                is_native |= body[range.clone()] == *native::SCOPE;
                shared.push((names.scope_name.to_vec(), text));
            }
            2 => shared.push((names.scope_version.to_vec(), text)),
            3 => value::key_value(body, range, names.scope, entries, shared)?,
            _ => {}
        }
    }
    Ok(is_native)
}

/// The fields of a record, in either encoding.
#[derive(Default)]
struct Record {
    time_nanos: u64,
    observed_nanos: u64,
    severity: u64,
    severity_text: Option<Datum>,
    body: Option<Datum>,
    /// `trace_id`, `span_id`, `event_name`, and numbers that are only forwarded.
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
    let names = entries.otlp_names();
    let set = names.set();
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
                value::key_value(body, range, set.attributes, entries, &mut record.attributes)?;
            }
            (7, field) if names == OtlpNames::Dotted => {
                record.ids.extend(count(b".otel.log.dropped_attributes_count", &field, entries));
            }
            (8, field) if names == OtlpNames::Dotted => {
                record.ids.extend(count(b".otel.log.flags", &field, entries));
            }
            (9, Field::Bytes(range)) => record.ids.extend(id(body, range, set.trace_id, entries)),
            (10, Field::Bytes(range)) => record.ids.extend(id(body, range, set.span_id, entries)),
            (12, Field::Bytes(range)) => {
                record.ids.push((set.event_name, Datum::text(Span::received(range.start, range.len()))));
            }
            _ => {}
        }
    }
    push(entries, raw, record, shared);
    Ok(())
}

/// Returns a number that is not zero.
fn count(name: &'static [u8], field: &Field, entries: &mut Entries<'_>) -> Option<(&'static [u8], Datum)> {
    let number = field.number().filter(|number| *number != 0)?;
    Some((name, integer(number, entries)))
}

fn integer(number: u64, entries: &mut Entries<'_>) -> Datum {
    let span = entries.batch.add_extra(number.to_string().as_bytes());
    Datum { span, kind: ValueKind::Integer }
}

/// Returns an identifier, in hexadecimal or as the bytes that syslog-ng has there; `None` when it is empty.
fn id(
    body: &[u8],
    range: Range<usize>,
    name: &'static [u8],
    entries: &mut Entries<'_>,
) -> Option<(&'static [u8], Datum)> {
    if entries.otlp_names() == OtlpNames::Dotted {
        let span = Span::received(range.start, range.len());
        return (!range.is_empty()).then_some((name, Datum { span, kind: ValueKind::Bytes }));
    }
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
    let names = entries.otlp_names().set();
    if entries.otlp_names() == OtlpNames::Dotted {
        dotted(entries, &record);
    }
    let nanos = if record.time_nanos != 0 { record.time_nanos } else { record.observed_nanos };
    if let Some(stamp) = moment::from_nanos(nanos) {
        entries.set_time(stamp);
    }
    if let Some(severity) = severity(record.severity) {
        entries.set_severity(severity);
        let number = integer(record.severity, entries);
        entries.value(names.severity_number, number);
    }
    if let Some(text) = record.severity_text.filter(|text| !text.span.is_empty()) {
        entries.put(KnownField::Severity, text);
        entries.value(names.severity_text, text);
    }
    if let Some(body) = record.body {
        entries.message().text = body.span;
    }
    for (name, datum) in record.ids {
        entries.value(name, datum);
    }
    for (name, datum) in &record.attributes {
        match names.attributes.is_empty() {
            true => entries.field(name, *datum),
            false => entries.value(name, *datum),
        }
    }
    for (name, datum) in shared {
        if let Some(place) = place(name, names) {
            entries.put(place, *datum);
        }
        entries.value(name, *datum);
    }
}

/// Returns the field that an attribute of a resource sets.
fn place(name: &[u8], names: &NameSet) -> Option<KnownField> {
    match name.strip_prefix(names.resource)? {
        b"host.name" => Some(KnownField::Host),
        b"service.name" => Some(KnownField::Program),
        b"process.pid" => Some(KnownField::Pid),
        _ => None,
    }
}

/// Sets the pairs that syslog-ng has besides: all that makes the same record again.
fn dotted(entries: &mut Entries<'_>, record: &Record) {
    let kind = Datum::text(entries.batch.add_extra(b"log"));
    entries.value(b".otel.type", kind);
    let times = [
        (b".otel.log.time_unix_nano".as_slice(), record.time_nanos),
        (b".otel.log.observed_time_unix_nano", record.observed_nanos),
    ];
    for (name, nanos) in times {
        let nanos = integer(nanos, entries);
        entries.value(name, nanos);
    }
    if let Some(body) = record.body {
        entries.value(b".otel.log.body", body);
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
