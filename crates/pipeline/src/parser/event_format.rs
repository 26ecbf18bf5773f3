//! `cef-parser()` and `leef-parser()`: the event formats of ArcSight and QRadar.
//!
//! In: `CEF:0|vendor|product|version|class|name|severity|key=value ...`, `LEEF:2.0|vendor|product|version|id|^|k=v^...`.
//! Out: the fields of the header under their names, the pairs under `extensions.`. A text that has no such header is
//! stopped. The marker may stand behind a host or a priority, as senders put it.
//! Limits: the marker is looked for in the first [`MARKER_WITHIN`] bytes; those of [`Writer`].

use super::{Reader, Writer, names::JoinedName};
use memchr::{memchr, memmem};
use message::ValueKind;

/// What may stand before the marker.
const MARKER_WITHIN: usize = 256;

/// Reads CEF.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cef;

/// Reads LEEF.
#[derive(Clone, Copy, Debug, Default)]
pub struct Leef;

const CEF_FIELDS: [&[u8]; 7] = [
    b"version",
    b"device_vendor",
    b"device_product",
    b"device_version",
    b"device_event_class_id",
    b"name",
    b"agent_severity",
];

const LEEF_FIELDS: [&[u8]; 5] = [b"version", b"vendor", b"product_name", b"product_version", b"event_id"];

impl Reader for Cef {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let Some(mut rest) = behind(text, b"CEF:") else { return false };
        let mut fields = [&b""[..]; CEF_FIELDS.len()];
        for field in &mut fields {
            let Some(end) = unescaped(rest, b'|') else { return false };
            *field = &rest[..end];
            rest = &rest[end + 1..];
        }
        for (name, field) in CEF_FIELDS.iter().zip(fields) {
            give(name, field, out);
        }
        let mut name = JoinedName::new(b'.');
        name.push(b"extensions");
        let mut rest = rest.trim_ascii();
        while let Some(equals) = unescaped(rest, b'=') {
            let key = rest[..equals].trim_ascii();
            let value = &rest[equals + 1..];
            let (value, after) = match next_key(value) {
                Some(blank) => (&value[..blank], &value[blank + 1..]),
                None => (value, &b""[..]),
            };
            if key.is_empty() {
                return false;
            }
            let before = name.push(key);
            give(name.joined(), value.trim_ascii_end(), out);
            name.pop_to(before);
            rest = after;
        }
        rest.is_empty()
    }
}

impl Reader for Leef {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let Some(mut rest) = behind(text, b"LEEF:") else { return false };
        let mut fields = [&b""[..]; LEEF_FIELDS.len()];
        for field in &mut fields {
            let Some(end) = memchr(b'|', rest) else { return false };
            *field = &rest[..end];
            rest = &rest[end + 1..];
        }
        let mut delimiter = b'\t';
        if fields[0].starts_with(b"2") {
            let Some(end) = memchr(b'|', rest) else { return false };
            let Some(told) = leef_delimiter(&rest[..end]) else { return false };
            delimiter = told.unwrap_or(delimiter);
            if !rest[..end].is_empty() {
                out.set(b"leef_delimiter", &rest[..end], ValueKind::String);
            }
            rest = &rest[end + 1..];
        }
        for (name, field) in LEEF_FIELDS.iter().zip(fields) {
            out.set(name, field, ValueKind::String);
        }
        let mut name = JoinedName::new(b'.');
        name.push(b"extensions");
        for pair in rest.split(|byte| *byte == delimiter).filter(|pair| !pair.trim_ascii().is_empty()) {
            let Some(equals) = memchr(b'=', pair) else { return false };
            let before = name.push(pair[..equals].trim_ascii());
            out.set(name.joined(), &pair[equals + 1..], ValueKind::String);
            name.pop_to(before);
        }
        true
    }
}

/// What follows the marker and blanks.
fn behind<'t>(text: &'t [u8], marker: &[u8]) -> Option<&'t [u8]> {
    let at = memmem::find(&text[..text.len().min(MARKER_WITHIN)], marker)?;
    Some(text[at + marker.len()..].trim_ascii_start())
}

/// The blank at which a value of CEF ends: behind it stands the next key.
fn next_key(value: &[u8]) -> Option<usize> {
    let mut from = 0;
    loop {
        let equals = from + unescaped(&value[from..], b'=')?;
        let blank = value[from..equals].iter().rposition(|byte| *byte == b' ').map(|at| from + at);
        if let Some(blank) = blank.filter(|blank| blank + 1 < equals) {
            return Some(blank);
        }
        from = equals + 1;
    }
}

/// The place of a byte that no backslash escapes.
fn unescaped(text: &[u8], wanted: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(wanted, b'\\', text.get(at..)?)?;
        if text[at] == wanted {
            return Some(at);
        }
        at += 2;
    }
}

fn give(name: &[u8], value: &[u8], out: &mut Writer<'_>) {
    if memchr(b'\\', value).is_none() {
        return out.set(name, value, ValueKind::String);
    }
    out.set_made(name, ValueKind::String, |made| {
        let mut bytes = value.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            let plain = match bytes.peek() {
                Some(&next @ (b'\\' | b'|' | b'=')) if byte == b'\\' => next,
                Some(b'n') if byte == b'\\' => b'\n',
                Some(b'r') if byte == b'\\' => b'\r',
                _ => {
                    made.push(byte);
                    continue;
                }
            };
            made.push(plain);
            bytes.next();
        }
    });
}

/// The delimiter that a header tells: a character, or its code such as `x5E` or `0x5E`. The inner None: none is told.
fn leef_delimiter(field: &[u8]) -> Option<Option<u8>> {
    match field {
        [] => Some(None),
        [one] => Some(Some(*one)),
        _ => {
            let text = str::from_utf8(field).ok()?;
            let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix('x'))?;
            Some(Some(u8::from_str_radix(hex, 16).ok()?))
        }
    }
}
