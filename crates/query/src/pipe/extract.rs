//! Extracts fields from text: named groups of an expression, members of a JSON object, pairs of `name=value`.
//!
//! In: a row. Out: the same with more values. A text that cannot be read changes nothing.
//! Limits: [`VALUES_MAX`] values per row; JSON as deep as its parser allows.

use crate::stage::{Name, add_value};
use lookup::Document;
use message::ValueKind;
use regex::bytes::Regex;
use serde_json::Value;

/// Most values that one row may get.
const VALUES_MAX: usize = 1_000;

/// Named groups become fields; a group that did not take part in the match changes nothing.
pub(super) fn rex(row: &mut Document, from: &Name, regex: &Regex) {
    let Some((text, _)) = from.value(row) else { return };
    let Some(found) = regex.captures(&text) else { return };
    for name in regex.capture_names().flatten() {
        if let Some(group) = found.name(name) {
            Name::of(name).set(row, group.as_bytes().to_vec(), ValueKind::String);
        }
    }
}

/// Members of the object that starts at the first brace become fields, nested ones with dots in their names.
pub(super) fn json(row: &mut Document, from: &Name) {
    let Some((text, _)) = from.value(row) else { return };
    let Some(start) = memchr::memchr(b'{', &text) else { return };
    let mut values = serde_json::Deserializer::from_slice(&text[start..]).into_iter::<Value>();
    if let Some(Ok(value)) = values.next() {
        members(row, "", &value);
    }
}

fn members(row: &mut Document, prefix: &str, value: &Value) {
    if row.values.len() >= VALUES_MAX {
        return;
    }
    match value {
        Value::Object(inner) => {
            for (name, value) in inner {
                let name = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                members(row, &name, value);
            }
        }
        Value::Null => {}
        Value::Bool(truth) => add_value(row, prefix, truth.to_string().into_bytes(), ValueKind::Boolean),
        Value::Number(number) => {
            let kind = if number.is_f64() { ValueKind::Double } else { ValueKind::Integer };
            add_value(row, prefix, number.to_string().into_bytes(), kind);
        }
        Value::String(text) => add_value(row, prefix, text.clone().into_bytes(), ValueKind::String),
        Value::Array(_) => add_value(row, prefix, value.to_string().into_bytes(), ValueKind::Json),
    }
}

/// Pairs of `name=value` or `name="value with blanks"` become fields.
pub(super) fn kv(row: &mut Document, from: &Name) {
    let Some((text, _)) = from.value(row) else { return };
    let mut at = 0;
    while let Some(equals) = memchr::memchr(b'=', &text[at..]).map(|found| at + found) {
        let letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'@');
        let length = text[at..equals].iter().rev().take_while(|byte| letter(byte)).count();
        let (value, end) = pair_value(&text, equals + 1);
        if length > 0 && row.values.len() < VALUES_MAX {
            let name = String::from_utf8_lossy(&text[equals - length..equals]).into_owned();
            add_value(row, &name, value, ValueKind::String);
            at = end;
        } else {
            at = equals + 1;
        }
    }
}

/// A value, quoted or up to a separator, and where it ends.
fn pair_value(text: &[u8], start: usize) -> (Vec<u8>, usize) {
    let Some(quote @ (b'"' | b'\'')) = text.get(start).copied() else {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b';');
        let end = text[start..].iter().position(ends).map_or(text.len(), |length| start + length);
        return (text[start..end].to_vec(), end);
    };
    let mut value = Vec::new();
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            byte if byte == quote => break,
            b'\\' => {
                value.extend(text.get(at));
                at += 1;
            }
            byte => value.push(byte),
        }
    }
    (value, at.min(text.len()))
}
