//! `cef-parser()` and `leef-parser()`: the event formats of ArcSight and QRadar.
//!
//! In: `CEF:0|vendor|product|version|class|name|severity|key=value ...`, `LEEF:2.0|vendor|product|version|id|^|k=v^...`.
//! Out: the fields of the header under their names, the pairs under `extensions.`. A message without such a header is
//! stopped. The marker may follow a host or a priority, as some senders write it.
//! Words that belong to no pair are part of the value before them; before the first pair they are left out.
//! Limits: the marker is searched in the first [`MARKER_WITHIN`] bytes; those of [`Writer`].

use crate::parser::reader::{JoinedName, Reader, Writer};
use memchr::{memchr, memmem};
use message::ValueKind;

/// Most bytes before the marker.
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
        let Some(rest) = behind(text, b"CEF:") else { return false };
        let Some((fields, text)) = header::<{ CEF_FIELDS.len() }>(rest) else { return false };
        for (name, field) in CEF_FIELDS.iter().zip(fields) {
            give(name, field, unescape_cef, out);
        }
        let mut name = JoinedName::new(b'.');
        name.push(b"extensions");
        let mut next = cef_key(text, 0);
        while let Some((start, equals)) = next {
            next = cef_key(text, equals + 1);
            let value = &text[equals + 1..next.map_or(text.len(), |(start, _)| start)];
            let before = name.push(&text[start..equals]);
            give(name.joined(), value.trim_ascii(), unescape_cef, out);
            name.pop_to(before);
        }
        true
    }
}

impl Reader for Leef {
    fn read(&self, text: &[u8], out: &mut Writer<'_>) -> bool {
        let Some(rest) = behind(text, b"LEEF:") else { return false };
        let Some((fields, mut text)) = header::<{ LEEF_FIELDS.len() }>(rest) else { return false };
        let mut delimiter = b'\t';
        // Some senders of version 2 leave the delimiter out: then the field already belongs to the pairs.
        if fields[0].starts_with(b"2")
            && let Some(end) = memchr(b'|', text)
            && let Some(given) = leef_delimiter(&text[..end])
        {
            delimiter = given.unwrap_or(delimiter);
            if end > 0 {
                out.set(b"leef_delimiter", &text[..end], ValueKind::String);
            }
            text = &text[end + 1..];
        }
        for (name, field) in LEEF_FIELDS.iter().zip(fields) {
            give(name, field, unescape_leef, out);
        }
        let mut name = JoinedName::new(b'.');
        name.push(b"extensions");
        let mut next = leef_key(text, 0, delimiter);
        while let Some((key, equals)) = next {
            next = leef_key(text, equals + 1, delimiter);
            let end = next.map_or(text.len(), |(_, other)| start_of_pair(text, other, delimiter) - 1);
            let before = name.push(key);
            give(name.joined(), without_end(&text[equals + 1..end], delimiter), unescape_leef, out);
            name.pop_to(before);
        }
        true
    }
}

/// Splits the fields between bars that no backslash escapes from the rest. The bar after the last one may be missing.
fn header<const COUNT: usize>(text: &[u8]) -> Option<([&[u8]; COUNT], &[u8])> {
    let mut fields = [&b""[..]; COUNT];
    let mut rest = text;
    for (at, field) in fields.iter_mut().enumerate() {
        match unescaped(rest, b'|') {
            Some(end) => (*field, rest) = (&rest[..end], &rest[end + 1..]),
            None if at + 1 == COUNT && !rest.is_empty() => (*field, rest) = (rest, b""),
            None => return None,
        }
    }
    Some((fields, rest))
}

/// Finds the next key of CEF: its start and its equals sign: a key follows blanks and has none.
fn cef_key(text: &[u8], from: usize) -> Option<(usize, usize)> {
    let mut at = from;
    loop {
        let equals = at + unescaped(&text[at..], b'=')?;
        let is_letter = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.-[]".contains(byte);
        let start = equals - text[at..equals].iter().rev().take_while(is_letter).count();
        let stands_alone = start == 0 || text[start - 1].is_ascii_whitespace();
        if start < equals && stands_alone {
            return Some((start, equals));
        }
        at = equals + 1;
    }
}

/// Returns the next key of LEEF and the offset of its equals sign: the first one between two delimiters.
fn leef_key(text: &[u8], from: usize, delimiter: u8) -> Option<(&[u8], usize)> {
    // A value may hold equals signs: the next key comes after its end.
    let mut at = if from == 0 { 0 } else { from + memchr(delimiter, &text[from..])? + 1 };
    loop {
        let equals = at + unescaped(&text[at..], b'=')?;
        let words = &text[start_of_pair(text, equals, delimiter).max(at)..equals];
        let key = words.trim_ascii_end();
        let key = key.rsplit(|byte| byte.is_ascii_whitespace() || *byte == b'|').next().unwrap_or(key);
        if !key.is_empty() {
            return Some((key, equals));
        }
        at = equals + 1;
    }
}

/// Returns the start of the pair of an equals sign.
fn start_of_pair(text: &[u8], equals: usize, delimiter: u8) -> usize {
    memchr::memrchr(delimiter, &text[..equals]).map_or(0, |at| at + 1)
}

/// Returns a value without delimiters at its end.
fn without_end(value: &[u8], delimiter: u8) -> &[u8] {
    let length = value.iter().rposition(|byte| *byte != delimiter).map_or(0, |last| last + 1);
    &value[..length]
}

/// Returns the text after the marker and the blanks that follow it; `None` without a marker near the start.
fn behind<'t>(text: &'t [u8], marker: &[u8]) -> Option<&'t [u8]> {
    let at = memmem::find(&text[..text.len().min(MARKER_WITHIN)], marker)?;
    Some(text[at + marker.len()..].trim_ascii_start())
}

/// Returns the offset of a byte that no backslash escapes.
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

fn give(name: &[u8], value: &[u8], unescape: fn(u8) -> Option<u8>, out: &mut Writer<'_>) {
    if memchr(b'\\', value).is_none() {
        return out.set(name, value, ValueKind::String);
    }
    out.set_made(name, ValueKind::String, |made| {
        let mut bytes = value.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            match bytes.peek().filter(|_| byte == b'\\').and_then(|next| unescape(*next)) {
                Some(plain) => {
                    made.push(plain);
                    bytes.next();
                }
                None => made.push(byte),
            }
        }
    });
}

/// Returns the byte that a backslash and a byte encode in CEF; `None`: they are two bytes.
fn unescape_cef(byte: u8) -> Option<u8> {
    match byte {
        b'\\' | b'|' | b'=' => Some(byte),
        b'n' => Some(b'\n'),
        b'r' => Some(b'\r'),
        _ => None,
    }
}

/// Does the same for LEEF, which leaves backslashes of paths unchanged.
fn unescape_leef(byte: u8) -> Option<u8> {
    matches!(byte, b'|' | b'=').then_some(byte)
}

/// Reads the delimiter in a header: a character, or its code in up to four digits such as `x5E` or `0x09`.
/// The inner `None` means that it is empty.
fn leef_delimiter(field: &[u8]) -> Option<Option<u8>> {
    match field {
        [] => Some(None),
        [one] => Some(Some(*one)),
        _ => {
            let text = str::from_utf8(field).ok()?;
            let code = text.strip_prefix('0').unwrap_or(text).strip_prefix(['x', 'X'])?;
            let is_code = code.len() <= 4 && code.bytes().all(|byte| byte.is_ascii_hexdigit());
            let code = is_code.then(|| u8::from_str_radix(code, 16).ok())??;
            Some((code != 0).then_some(code))
        }
    }
}
