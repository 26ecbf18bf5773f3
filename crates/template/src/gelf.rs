//! A whole message as GELF 1.1: sent by the `gelf()` destination, so that a `gelf()` source reads the same message.
//!
//! In: a message. Out: one JSON object: text, `full_message`, the time of the event with its fraction, header fields,
//! structured data and all values with their types. Holds: nothing.
//! Limits: GELF names fields with letters, digits, `_`, `-` and `.`; every other byte becomes `_`. `$(format-gelf)` is
//! syslog-ng's form, which leaves out values without a dot or underscore, and has the received time.

use crate::value::append_string;
use message::{Batch, Field, ValueKind};
use std::collections::HashSet;

/// Value that is a field of GELF itself.
const FULL_MESSAGE: &[u8] = b"full_message";
/// Stands for a host or text that is empty: receivers refuse messages without them.
const NOTHING: &[u8] = b"-";
const SDATA: &[u8] = b".SDATA.";

/// Appends a message, without its terminator over TCP.
pub fn append_gelf(batch: &Batch, index: usize, out: &mut Vec<u8>) {
    let message = &batch.messages[index];
    let mut object = Object { out, names: HashSet::new() };
    object.out.extend_from_slice(b"{\"version\":\"1.1\"");
    object.text("host", or_nothing(batch.fixed(index, Field::Host)));
    object.text("short_message", or_nothing(batch.fixed(index, Field::Message)));
    let values = batch.values(index);
    if let Some((_, value, _)) = values.iter().find(|(name, ..)| *name == FULL_MESSAGE) {
        object.text("full_message", value);
    }
    object.raw("timestamp", &seconds(message.event.unix_us));
    object.raw("level", &message.pri.severity().0.to_string());
    if let Some(facility) = message.pri.facility().name() {
        object.text("_facility", facility.as_bytes());
    }
    for (name, field) in [("_program", Field::Program), ("_pid", Field::Pid), ("_msgid", Field::Msgid)] {
        let value = batch.fixed(index, field);
        let kind = if name == "_pid" { ValueKind::Integer } else { ValueKind::String };
        if !value.is_empty() {
            object.value(name.to_owned(), value, kind);
        }
    }
    // Parameters that processing has set are written with the values below.
    let set: HashSet<&[u8]> = batch.set_names(index).collect();
    for (param, value) in batch.sd_params_now(index) {
        let name = [SDATA, param.id, b".", param.name].concat();
        if let (Some(value), false, false) = (value, param.name.is_empty(), set.contains(name.as_slice())) {
            object.value(own_name(&name), &value, ValueKind::String);
        }
    }
    // The oldest first, as they were set.
    for (name, value, kind) in values.iter().rev() {
        let is_match = name.iter().all(u8::is_ascii_digit);
        if *name != FULL_MESSAGE && !is_match {
            object.value(own_name(name), value, *kind);
        }
    }
    out.push(b'}');
}

fn or_nothing(text: &[u8]) -> &[u8] {
    if text.is_empty() { NOTHING } else { text }
}

/// Prints seconds since 1970 with as many digits of a fraction as they have.
fn seconds(unix_us: i64) -> String {
    let sign = if unix_us < 0 { "-" } else { "" };
    let (whole, micros) = (unix_us.unsigned_abs() / 1_000_000, unix_us.unsigned_abs() % 1_000_000);
    match micros {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{micros:06}").trim_end_matches('0').to_owned(),
    }
}

/// Returns the name of a value in GELF.
fn own_name(name: &[u8]) -> String {
    let plain = name.strip_prefix(b".").or(name.strip_prefix(b"_")).unwrap_or(name);
    // Receivers use this name for their own id.
    let prefix = if plain == b"id" { "__" } else { "_" };
    let allowed = |character: char| match character {
        '_' | '-' | '.' => character,
        _ if character.is_ascii_alphanumeric() => character,
        _ => '_',
    };
    prefix.chars().chain(String::from_utf8_lossy(plain).chars().map(allowed)).collect()
}

/// The object that is written.
struct Object<'a> {
    out: &'a mut Vec<u8>,
    /// Names of own fields that were written.
    names: HashSet<String>,
}

impl Object<'_> {
    fn name(&mut self, name: &str) {
        self.out.push(b',');
        append_string(name.as_bytes(), self.out);
        self.out.push(b':');
    }

    fn raw(&mut self, name: &str, value: &str) {
        self.name(name);
        self.out.extend_from_slice(value.as_bytes());
    }

    fn text(&mut self, name: &str, value: &[u8]) {
        self.names.insert(name.to_owned());
        self.name(name);
        append_string(value, self.out);
    }

    /// Writes a value with its type, if the text is valid for it. A name that was already written gets another
    /// underscore.
    fn value(&mut self, mut name: String, value: &[u8], kind: ValueKind) {
        while !self.names.insert(name.clone()) {
            name.insert(0, '_');
        }
        self.name(&name);
        let json = std::str::from_utf8(value).ok().and_then(|text| serde_json::from_str(text).ok());
        let is_of_kind = match (kind, &json) {
            (ValueKind::Null, _) => return self.out.extend_from_slice(b"null"),
            (ValueKind::Integer | ValueKind::Double, Some(json)) => serde_json::Value::is_number(json),
            (ValueKind::Boolean, Some(json)) => json.is_boolean(),
            (ValueKind::Json, Some(json)) => json.is_array() || json.is_object(),
            _ => false,
        };
        match is_of_kind {
            true => self.out.extend_from_slice(value.trim_ascii()),
            false => append_string(value, self.out),
        }
    }
}

#[cfg(test)]
mod tests;
