//! Records in which a server of syslog-ng's kind sends whole messages: `syslog-ng-otlp()`.
//!
//! In: a record of the scope [`SCOPE`]. Out: the message with all its pairs, tags and times. Holds: nothing.
//! Limits: pairs as for other records; the addresses of the hop before are pairs.
//!
//! The attribute `n` has a list for each type, of names and values as bytes; `m` has the priority, the tags and the offsets of
//! the zones; `sa` and `da` are addresses.

use super::super::{
    BodyError,
    entry::{Entries, moment},
};
use crate::protocol::protobuf::{Field, Fields};
use message::{Priority, Span, Stamp, ValueKind, list_elements};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    ops::Range,
};

/// The name of the scope.
pub(super) const SCOPE: &[u8] = b"@syslog-ng";
/// Longest offset of a zone, in seconds.
const OFFSET_MAX: i64 = 18 * 3600;

/// Values that are set when all others are.
#[derive(Default)]
struct Rest {
    /// Offset of the zone of the message's own time.
    event_offset: i32,
    /// Offset of the zone of the received time.
    received_offset: i32,
    /// The tag as received: setting program and pid would remove it.
    header: Option<Span>,
}

/// Reads `LogRecord`.
pub(super) fn record(body: &[u8], range: Range<usize>, entries: &mut Entries<'_>) -> Result<(), BodyError> {
    entries.begin(Span::received(range.start, range.len()));
    let (mut time, mut observed) = (0, 0);
    let mut rest = Rest::default();
    for field in Fields::of(body, range) {
        match field? {
            (1, field) => time = field.number().unwrap_or(0),
            (11, field) => observed = field.number().unwrap_or(0),
            (6, Field::Bytes(range)) => {
                let (name, value) = pair(body, range)?;
                let Some(list) = member(body, value, 6)? else { continue };
                match &body[name] {
                    b"n" => pairs(body, list, entries, &mut rest)?,
                    b"m" => macros(body, list, entries, &mut rest)?,
                    b"sa" => address(body, list, entries, ["source_ip", "source_port"])?,
                    b"da" => address(body, list, entries, ["destination_ip", "destination_port"])?,
                    _ => {}
                }
            }
            _ => {}
        }
    }
    let zoned = |nanos, offset_s| moment::from_nanos(nanos).map(|stamp| Stamp { offset_s, ..stamp });
    if let Some(stamp) = zoned(time, rest.event_offset) {
        entries.set_time(stamp);
    }
    if let Some(stamp) = zoned(observed, rest.received_offset) {
        entries.set_received(stamp);
    }
    if let Some(header) = rest.header {
        entries.message().msghdr = header;
    }
    Ok(())
}

/// Reads `KeyValue { string key = 1; AnyValue value = 2 }`.
fn pair(body: &[u8], range: Range<usize>) -> Result<(Range<usize>, Range<usize>), BodyError> {
    let (mut name, mut value) = (range.start..range.start, range.start..range.start);
    for field in Fields::of(body, range) {
        match field? {
            (1, Field::Bytes(range)) => name = range,
            (2, Field::Bytes(range)) => value = range,
            _ => {}
        }
    }
    Ok((name, value))
}

/// Returns the bytes of a field of an `AnyValue`.
fn member(body: &[u8], value: Range<usize>, wanted: u32) -> Result<Option<Range<usize>>, BodyError> {
    let mut found = None;
    for field in Fields::of(body, value) {
        let (number, field) = field?;
        found = field.bytes().filter(|_| number == wanted).or(found);
    }
    Ok(found)
}

/// Returns the whole number of an `AnyValue`.
fn whole(body: &[u8], value: Range<usize>) -> Result<Option<i64>, BodyError> {
    for field in Fields::of(body, value) {
        if let (3, field) = field? {
            return Ok(field.number().map(|number| number as i64));
        }
    }
    Ok(None)
}

/// Calls `read` for each pair of a `KeyValueList { repeated KeyValue values = 1 }`.
fn each(
    body: &[u8],
    list: Range<usize>,
    mut read: impl FnMut(&[u8], Range<usize>) -> Result<(), BodyError>,
) -> Result<(), BodyError> {
    for field in Fields::of(body, list) {
        if let (1, Field::Bytes(range)) = field? {
            let (name, value) = pair(body, range)?;
            read(&body[name], value)?;
        }
    }
    Ok(())
}

/// Reads the pairs of each type.
fn pairs(
    body: &[u8],
    types: Range<usize>,
    entries: &mut Entries<'_>,
    rest: &mut Rest,
) -> Result<(), BodyError> {
    each(body, types, |kind, value| {
        let Some(kind) = kind_of(kind) else { return Ok(()) };
        let Some(list) = member(body, value, 6)? else { return Ok(()) };
        each(body, list, |name, value| {
            let Some(value) = member(body, value, 7)? else { return Ok(()) };
            let span = Span::received(value.start, value.len());
            match name {
                b"LEGACY_MSGHDR" => rest.header = Some(span),
                _ => entries.set(&String::from_utf8_lossy(name), span, kind),
            }
            Ok(())
        })
    })
}

/// Returns the type of a name.
fn kind_of(name: &[u8]) -> Option<ValueKind> {
    Some(match name {
        b"string" => ValueKind::String,
        b"json" | b"literal" => ValueKind::Json,
        b"boolean" => ValueKind::Boolean,
        b"int" | b"int32" | b"int64" | b"integer" | b"compat-int32" => ValueKind::Integer,
        b"double" | b"float" => ValueKind::Double,
        b"datetime" => ValueKind::Datetime,
        b"list" => ValueKind::List,
        b"null" => ValueKind::Null,
        b"bytes" | b"protobuf" => ValueKind::Bytes,
        _ => return None,
    })
}

/// Returns the name of a type.
pub(super) fn name_of(kind: ValueKind) -> Option<&'static str> {
    Some(match kind {
        ValueKind::String => "string",
        ValueKind::Json => "json",
        ValueKind::Boolean => "boolean",
        ValueKind::Integer => "int",
        ValueKind::Double => "double",
        ValueKind::Datetime => "datetime",
        ValueKind::List => "list",
        ValueKind::Null => "null",
        ValueKind::Bytes => "bytes",
        ValueKind::Tag | ValueKind::Unset => return None,
    })
}

fn macros(
    body: &[u8],
    list: Range<usize>,
    entries: &mut Entries<'_>,
    rest: &mut Rest,
) -> Result<(), BodyError> {
    let offset = |value| {
        whole(body, value).map(|number| {
            let offset = number.filter(|offset| offset.abs() <= OFFSET_MAX).unwrap_or(0);
            i32::try_from(offset).unwrap_or(0)
        })
    };
    each(body, list, |name, value| {
        match name {
            b"PRI" => {
                let text = member(body, value.clone(), 7)?.or(member(body, value.clone(), 1)?);
                let text = text.and_then(|range| std::str::from_utf8(&body[range]).ok()?.parse().ok());
                let pri = whole(body, value)?.or(text).and_then(|pri| u16::try_from(pri).ok());
                if let Some(pri) = pri.filter(|pri| *pri <= Priority::MAX) {
                    entries.set_severity(Priority(pri).severity());
                    entries.set_facility(Priority(pri).facility());
                }
            }
            b"TAGS" => {
                let Some(range) = member(body, value, 7)? else { return Ok(()) };
                for tag in list_elements(&body[range]) {
                    entries.tag(&String::from_utf8_lossy(&tag));
                }
            }
            b"STAMP_GMTOFF" => rest.event_offset = offset(value)?,
            b"RECVD_GMTOFF" => rest.received_offset = offset(value)?,
            _ => {}
        }
        Ok(())
    })
}

/// Reads an address; it becomes pairs, because the origin of a message is who sent it here.
fn address(
    body: &[u8],
    list: Range<usize>,
    entries: &mut Entries<'_>,
    names: [&str; 2],
) -> Result<(), BodyError> {
    let (mut address, mut port) = (None, None);
    each(body, list, |name, value| {
        match name {
            b"addr" => {
                let bytes = member(body, value, 7)?.map(|range| &body[range]).unwrap_or_default();
                let v4 = || <[u8; 4]>::try_from(bytes).ok().map(|bytes| IpAddr::V4(Ipv4Addr::from(bytes)));
                let v6 = || <[u8; 16]>::try_from(bytes).ok().map(|bytes| IpAddr::V6(Ipv6Addr::from(bytes)));
                address = v4().or_else(v6);
            }
            b"port" => port = whole(body, value)?,
            _ => {}
        }
        Ok(())
    })?;
    let mut put = |name: &str, text: String, kind| {
        let span = entries.batch.add_extra(text.as_bytes());
        entries.set(&format!(".otlp.{name}"), span, kind);
    };
    if let Some(address) = address {
        put(names[0], address.to_string(), ValueKind::String);
    }
    if let Some(port) = port {
        put(names[1], port.to_string(), ValueKind::Integer);
    }
    Ok(())
}
