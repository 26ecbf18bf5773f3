//! Values as `AnyValue`.
//!
//! In: a value and its type. Out: its bytes, appended. Holds: nothing.
//! Limits: [`NESTED_MAX`]; what does not fit its type is sent as text.
//!
//! Text that is not UTF-8 is sent as bytes: receivers refuse a whole request for one such text.

use super::super::super::encoding::json::{Json, Token, unescape};
use crate::{
    protocol::protobuf::{push_bytes, push_fixed64, push_message, push_varint},
    shipped::BodyError,
};
use message::{ValueKind, list_elements};

/// Deepest nesting of JSON that becomes lists and maps.
pub(super) const NESTED_MAX: usize = 16;

/// Appends `KeyValue { string key = 1; AnyValue value = 2 }` as the field of a number.
pub(super) fn push_pair(number: u32, name: &[u8], value: (&[u8], ValueKind), out: &mut Vec<u8>) {
    push_message(number, out, |out| {
        push_text(1, name, out);
        push_message(2, out, |out| push_any(value, out));
    });
}

/// Appends a field that must be UTF-8.
pub(super) fn push_text(number: u32, text: &[u8], out: &mut Vec<u8>) {
    push_bytes(number, String::from_utf8_lossy(text).as_bytes(), out);
}

/// Appends the field of an `AnyValue`.
pub(super) fn push_any((value, kind): (&[u8], ValueKind), out: &mut Vec<u8>) {
    let text = std::str::from_utf8(value).ok();
    match (kind, text) {
        (ValueKind::Null | ValueKind::Unset | ValueKind::Tag, _) => {}
        (ValueKind::Bytes, _) | (_, None) => push_bytes(7, value, out),
        (ValueKind::Boolean, Some("true" | "1" | "yes")) => push_varint(2, 1, out),
        (ValueKind::Boolean, Some("false" | "0" | "no")) => push_varint(2, 0, out),
        (ValueKind::Integer, Some(text)) => match text.parse::<i64>() {
            Ok(number) => push_varint(3, number as u64, out),
            Err(_) => push_bytes(1, value, out),
        },
        (ValueKind::Double, Some(text)) => match text.parse::<f64>() {
            Ok(number) => push_fixed64(4, number.to_bits(), out),
            Err(_) => push_bytes(1, value, out),
        },
        (ValueKind::List, Some(_)) => push_message(5, out, |out| {
            for element in list_elements(value) {
                push_message(1, out, |out| push_any((&element, ValueKind::String), out));
            }
        }),
        (ValueKind::Json, Some(_)) => {
            let start = out.len();
            let mut json = Json::new(value, 0);
            if push_json(&mut json, value, NESTED_MAX, out).is_err() || !json.is_at_end() {
                out.truncate(start);
                push_bytes(1, value, out);
            }
        }
        (_, Some(_)) => push_bytes(1, value, out),
    }
}

/// Appends the next value of a text in JSON.
fn push_json(json: &mut Json<'_>, body: &[u8], left: usize, out: &mut Vec<u8>) -> Result<(), BodyError> {
    let Some(left) = left.checked_sub(1) else { return Err(json.wrong("JSON too deep")) };
    match json.token()? {
        Token::Null => {}
        Token::True => push_varint(2, 1, out),
        Token::False => push_varint(2, 0, out),
        Token::Number { start, end } => {
            let number = &body[start..end];
            let is_whole = std::str::from_utf8(number).is_ok_and(|text| text.parse::<i64>().is_ok());
            let kind = if is_whole { ValueKind::Integer } else { ValueKind::Double };
            push_any((number, kind), out);
        }
        Token::Text(text) => push_bytes(1, &unescaped(&body[text.start..text.end]), out),
        Token::Array => {
            let mut done = Ok(());
            push_message(5, out, |out| done = push_elements(json, body, left, out));
            done?;
        }
        Token::Object => {
            let mut done = Ok(());
            push_message(6, out, |out| done = push_members(json, body, left, out));
            done?;
        }
    }
    Ok(())
}

/// Appends `ArrayValue { repeated AnyValue values = 1 }`.
fn push_elements(json: &mut Json<'_>, body: &[u8], left: usize, out: &mut Vec<u8>) -> Result<(), BodyError> {
    let mut first = true;
    let mut done = Ok(());
    while done.is_ok() && json.element(&mut first)? {
        push_message(1, out, |out| done = push_json(json, body, left, out));
    }
    done
}

/// Appends `KeyValueList { repeated KeyValue values = 1 }`.
fn push_members(json: &mut Json<'_>, body: &[u8], left: usize, out: &mut Vec<u8>) -> Result<(), BodyError> {
    let mut first = true;
    let mut done = Ok(());
    while done.is_ok()
        && let Some(key) = json.key(&mut first)?
    {
        push_message(1, out, |out| {
            push_bytes(1, &unescaped(&body[key.start..key.end]), out);
            push_message(2, out, |out| done = push_json(json, body, left, out));
        });
    }
    done
}

fn unescaped(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    unescape(raw, &mut text);
    match String::from_utf8(text) {
        Ok(text) => text.into_bytes(),
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned().into_bytes(),
    }
}
