//! Messages as OpenTelemetry's log records, in protobuf.
//!
//! In: a message. Out: the bytes of its resource, its scope and its record; of many, a request. Holds: nothing.
//! Limits: JSON in values that is nested deeper than [`value::NESTED_MAX`] is sent as text.
//!
//! A message that came as a record, with the names of [`super::OtlpNames::Dotted`], becomes that record again. Others get their
//! host, program and pid as attributes of the resource, and their pairs as attributes of the record.

mod native;
mod parts;
mod value;

use crate::protocol::protobuf::{
    self, Field as Wire, Fields, ProtobufError, push_bytes, push_fixed64, push_message, push_varint,
};
use message::{Batch, Field, Severity, ValueKind};
use parts::{Pair, nanos};

pub use parts::OtlpParts;

/// Longest text of a receiver that is kept.
const REJECTION_CHARACTERS_MAX: usize = 300;

impl OtlpParts {
    /// Makes the parts of a message as `opentelemetry()` sends it.
    pub fn of(batch: &Batch, index: usize) -> OtlpParts {
        let mut pairs: Vec<Pair<'_>> = batch.values(index);
        // Oldest first, as they were received.
        pairs.reverse();
        let is_record = pairs.iter().any(|(name, value, _)| *name == b".otel.type" && *value == b"log");
        match is_record {
            true => of_record(&pairs),
            false => of_message(batch, index, &pairs),
        }
    }

    /// Makes the parts of a message as `syslog-ng-otlp()` sends it: whole, for another server of this kind.
    pub fn whole(batch: &Batch, index: usize) -> OtlpParts {
        native::parts(batch, index)
    }
}

/// Maps syslog's severities as OpenTelemetry's data model does.
fn severity_number(severity: Severity) -> u64 {
    match severity.0 {
        0 => 21,
        1 => 19,
        2 => 18,
        3 => 17,
        4 => 13,
        5 => 10,
        6 => 9,
        _ => 5,
    }
}

fn of_message(batch: &Batch, index: usize, pairs: &[Pair<'_>]) -> OtlpParts {
    let mut parts = OtlpParts::default();
    let fixed = [
        ("host.name", Field::Host, ValueKind::String),
        ("service.name", Field::Program, ValueKind::String),
        ("process.pid", Field::Pid, ValueKind::Integer),
    ];
    let present = fixed.map(|(name, field, kind)| (name, batch.fixed(index, field), kind));
    if present.iter().any(|(_, value, _)| !value.is_empty()) {
        push_message(1, &mut parts.resource, |out| {
            for (name, value, kind) in present.into_iter().filter(|(_, value, _)| !value.is_empty()) {
                value::push_pair(1, name.as_bytes(), (value, kind), out);
            }
        });
    }
    let message = &batch.messages[index];
    let out = &mut parts.record;
    push_fixed64(1, nanos(message.event), out);
    push_varint(2, severity_number(message.pri.severity()), out);
    push_message(5, out, |out| {
        let kind = batch.fixed_kind(index, Field::Message);
        value::push_any((batch.fixed(index, Field::Message), kind), out);
    });
    for (name, value, kind) in pairs.iter().filter(|(name, ..)| is_sent(name)) {
        value::push_pair(6, name, (value, *kind), out);
    }
    batch.each_received(index, |name, value| {
        if name.starts_with(".SDATA.") {
            value::push_pair(6, name.as_bytes(), (value, ValueKind::String), out);
        }
    });
    push_fixed64(11, nanos(batch.received_of(index)), out);
    parts
}

/// Returns true for names of users; those with a dot before them are internal, and numbers are matches of a pattern.
fn is_sent(name: &[u8]) -> bool {
    let is_internal = name.starts_with(b".") && !name.starts_with(b".SDATA.");
    !is_internal && !name.iter().all(u8::is_ascii_digit) && Field::from_name(name).is_none()
}

fn of_record(pairs: &[Pair<'_>]) -> OtlpParts {
    let mut parts = OtlpParts::default();
    let (mut resource, mut scope) = (Vec::new(), Vec::new());
    let out = &mut parts.record;
    for (name, value, kind) in pairs {
        let Some(name) = name.strip_prefix(b".otel.") else { continue };
        let number =
            || std::str::from_utf8(value).ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
        match name {
            b"log.time_unix_nano" => push_fixed64(1, number(), out),
            b"log.severity_number" => push_varint(2, number(), out),
            b"log.severity_text" => value::push_text(3, value, out),
            b"log.body" => push_message(5, out, |out| value::push_any((value, *kind), out)),
            b"log.dropped_attributes_count" => push_varint(7, number(), out),
            b"log.flags" => protobuf::push_fixed32(8, number() as u32, out),
            b"log.trace_id" => push_bytes(9, value, out),
            b"log.span_id" => push_bytes(10, value, out),
            b"log.observed_time_unix_nano" => push_fixed64(11, number(), out),
            b"log.event_name" => value::push_text(12, value, out),
            b"resource.dropped_attributes_count" => push_varint(2, number(), &mut resource),
            b"resource.schema_url" => value::push_text(3, value, &mut parts.resource),
            b"scope.name" => value::push_text(1, value, &mut scope),
            b"scope.version" => value::push_text(2, value, &mut scope),
            b"scope.dropped_attributes_count" => push_varint(4, number(), &mut scope),
            b"scope.schema_url" => value::push_text(3, value, &mut parts.scope),
            _ => {
                if let Some(name) = name.strip_prefix(b"log.attributes.") {
                    value::push_pair(6, name, (value, *kind), out);
                } else if let Some(name) = name.strip_prefix(b"resource.attributes.") {
                    value::push_pair(1, name, (value, *kind), &mut resource);
                } else if let Some(name) = name.strip_prefix(b"scope.attributes.") {
                    value::push_pair(3, name, (value, *kind), &mut scope);
                }
            }
        }
    }
    for (inner, outer) in [(resource, &mut parts.resource), (scope, &mut parts.scope)] {
        if !inner.is_empty() {
            push_bytes(1, &inner, outer);
        }
    }
    parts
}

/// Returns `ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1 }` for the parts of messages: resource, scope and
/// record of each. Neighbours of equal resource and scope share them.
pub fn otlp_request<'a>(parts: impl IntoIterator<Item = [&'a [u8]; 3]>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut parts = parts.into_iter().peekable();
    while let Some([resource, scope, record]) = parts.next() {
        push_message(1, &mut out, |out| {
            out.extend_from_slice(resource);
            let (mut scope, mut record) = (scope, record);
            loop {
                push_message(2, out, |out| {
                    out.extend_from_slice(scope);
                    push_bytes(2, record, out);
                    let is_equal = |next: &[&[u8]; 3]| next[0] == resource && next[1] == scope;
                    while let Some([_, _, record]) = parts.next_if(is_equal) {
                        push_bytes(2, record, out);
                    }
                });
                match parts.next_if(|next| next[0] == resource) {
                    Some([_, next_scope, next_record]) => (scope, record) = (next_scope, next_record),
                    None => return,
                }
            }
        });
    }
    out
}

/// The part of a request that its receiver did not take.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OtlpRejection {
    /// How many records; which ones it does not say.
    pub records: u64,
    /// Why, on one line.
    pub text: String,
}

impl OtlpRejection {
    /// Reads `ExportLogsServiceResponse { ExportLogsPartialSuccess partial_success = 1 }`, which is
    /// `{ int64 rejected_log_records = 1; string error_message = 2 }`.
    pub fn read(body: &[u8]) -> Result<OtlpRejection, ProtobufError> {
        let mut rejection = OtlpRejection::default();
        for field in Fields::of(body, 0..body.len()) {
            let (1, Wire::Bytes(range)) = field? else { continue };
            for field in Fields::of(body, range) {
                match field? {
                    (1, Wire::Varint(records)) => rejection.records = records,
                    (2, Wire::Bytes(range)) => rejection.text = line(&body[range]),
                    _ => {}
                }
            }
        }
        Ok(rejection)
    }
}

/// Returns a text as one line of bounded length.
fn line(text: &[u8]) -> String {
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    String::from_utf8_lossy(text).chars().take(REJECTION_CHARACTERS_MAX).map(plain).collect()
}

#[cfg(test)]
mod tests;
