//! OpenTelemetry's values in protobuf.
//!
//! In: an `AnyValue` or `KeyValue`. Out: typed text; lists and maps become JSON. Holds: nothing.
//! Limits: [`NESTED_MAX`]; values nested deeper are `null`.

use super::super::{
    BodyError,
    entry::{Datum, Entries},
};
use crate::protocol::protobuf::{Field, Fields};
use message::{Span, ValueKind};
use std::{io::Write, ops::Range};

/// Deepest nesting of a value.
pub(super) const NESTED_MAX: usize = 16;

/// Pairs that many messages share.
pub(super) type Shared = Vec<(Vec<u8>, Datum)>;

/// The nesting of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// A standalone value.
    Top,
    /// Part of a list or map.
    Nested,
}

/// Reads `AnyValue`; `None` when it holds nothing.
pub(super) fn any(
    body: &[u8],
    range: Range<usize>,
    entries: &mut Entries<'_>,
) -> Result<Option<Datum>, BodyError> {
    let mut found = None;
    for field in Fields::of(body, range) {
        let (number, field) = field?;
        let kind = match number {
            1 | 7 => ValueKind::String,
            2 => ValueKind::Boolean,
            3 => ValueKind::Integer,
            4 => ValueKind::Double,
            5 | 6 => ValueKind::Json,
            _ => continue,
        };
        if let (1, Field::Bytes(range)) = (number, &field) {
            found = Some(Datum::text(Span::received(range.start, range.len())));
            continue;
        }
        let start = entries.batch.extra.len();
        append(body, (number, field), NESTED_MAX, Level::Top, &mut entries.batch.extra)?;
        let kind = if number == 7 { ValueKind::Bytes } else { kind };
        found = Some(Datum { span: Span::extra(start, entries.batch.extra.len() - start), kind });
    }
    Ok(found)
}

/// Adds `KeyValue { string key = 1; AnyValue value = 2 }`, under its name after `before`.
pub(super) fn key_value(
    body: &[u8],
    range: Range<usize>,
    before: &[u8],
    entries: &mut Entries<'_>,
    out: &mut Shared,
) -> Result<(), BodyError> {
    let mut name = before.to_vec();
    let mut datum = None;
    for field in Fields::of(body, range) {
        match field? {
            (1, Field::Bytes(range)) => name.extend_from_slice(&body[range]),
            (2, Field::Bytes(range)) => datum = any(body, range, entries)?,
            _ => {}
        }
    }
    out.push((name, datum.unwrap_or(Datum { span: Span::EMPTY, kind: ValueKind::Null })));
    Ok(())
}

/// Appends one field of an `AnyValue` as JSON, or as plain text at the top.
fn append(
    body: &[u8],
    (number, field): (u32, Field),
    left: usize,
    level: Level,
    out: &mut Vec<u8>,
) -> Result<(), BodyError> {
    match (number, field) {
        (1, Field::Bytes(range)) => append_text(&body[range], out),
        (2, field) => out.extend_from_slice(if field.number() == Some(0) { b"false" } else { b"true" }),
        (3, Field::Varint(number)) => append_number(number as i64, out),
        (4, Field::Fixed64(bits)) => append_number(f64::from_bits(bits), out),
        (5, Field::Bytes(range)) => append_list(body, range, left, out)?,
        (6, Field::Bytes(range)) => append_map(body, range, left, out)?,
        (7, Field::Bytes(range)) if level == Level::Top => out.extend_from_slice(&body[range]),
        (7, Field::Bytes(range)) => append_text(&body[range], out),
        _ => out.extend_from_slice(b"null"),
    }
    Ok(())
}

/// Appends the `AnyValue` at `range`.
fn append_any(body: &[u8], range: Range<usize>, left: usize, out: &mut Vec<u8>) -> Result<(), BodyError> {
    let Some(left) = left.checked_sub(1) else {
        out.extend_from_slice(b"null");
        return Ok(());
    };
    let mut last = None;
    for field in Fields::of(body, range) {
        last = Some(field?);
    }
    match last {
        Some(field) => append(body, field, left, Level::Nested, out),
        None => {
            out.extend_from_slice(b"null");
            Ok(())
        }
    }
}

/// Appends `ArrayValue { repeated AnyValue values = 1 }`.
fn append_list(body: &[u8], range: Range<usize>, left: usize, out: &mut Vec<u8>) -> Result<(), BodyError> {
    out.push(b'[');
    let start = out.len();
    for field in Fields::of(body, range) {
        if let (1, Field::Bytes(range)) = field? {
            comma(start, out);
            append_any(body, range, left, out)?;
        }
    }
    out.push(b']');
    Ok(())
}

/// Appends `KeyValueList { repeated KeyValue values = 1 }`.
fn append_map(body: &[u8], range: Range<usize>, left: usize, out: &mut Vec<u8>) -> Result<(), BodyError> {
    out.push(b'{');
    let start = out.len();
    for field in Fields::of(body, range) {
        let (1, Field::Bytes(range)) = field? else { continue };
        comma(start, out);
        let (mut key, mut value) = (0..0, 0..0);
        for field in Fields::of(body, range) {
            match field? {
                (1, Field::Bytes(range)) => key = range,
                (2, Field::Bytes(range)) => value = range,
                _ => {}
            }
        }
        append_text(&body[key], out);
        out.push(b':');
        append_any(body, value, left, out)?;
    }
    out.push(b'}');
    Ok(())
}

fn comma(start: usize, out: &mut Vec<u8>) {
    if out.len() > start {
        out.push(b',');
    }
}

fn append_number(number: impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = write!(out, "{number}");
}

fn append_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', *byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            0..0x20 => append_number(format_args!("\\u{byte:04x}"), out),
            _ => out.push(*byte),
        }
    }
    out.push(b'"');
}
