//! The plain reading of received bytes: which fields of a message follow from what was sealed, and which do not.
//!
//! In: the bytes, when and from where they were received, the fields as stored. Out: the form in which they parse
//! best, and the names of the fields that do not follow from them: processing set them, or a reading that is not
//! plain. Holds nothing. Limits: total. It is described in `docs/format/package.md` and made twice, here and in
//! `verify.html`: what one reads, the other must, so it knows the two RFCs as written and nothing of the devices'
//! ways.

mod bytes;
mod header;

pub use bytes::ReceivedBytes;

use header::{Reading, Time};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Forms of bytes, the likeliest first.
const FORMS: [&str; 4] = ["rfc5424", "rfc3164", "rfc3164-nohost", "text"];
/// Offsets of time zones are multiples of this.
const OFFSET_STEP_US: i64 = 900_000_000;
/// Largest offset of a time zone.
const OFFSET_US_MAX: i64 = 16 * 3_600_000_000;

/// Describes how the fields of a message, given as JSON, follow from its bytes: the form with the fewest fields
/// that do not follow.
pub fn describe(message: &Value, sealed: ReceivedBytes<'_>) -> Value {
    let mut best: Option<(usize, Value)> = None;
    for form in FORMS {
        let Some(reading) = Reading::of(form, sealed) else { continue };
        let mut read = Map::from_iter([("as".to_owned(), Value::from(form))]);
        let host = message["host"].as_str().unwrap_or_default();
        if host != text(reading.host) && host == sealed.peer {
            read.insert("host".to_owned(), "peer".into());
        }
        if let (Time::Local(local), Some(event)) = (&reading.time, message["event_us"].as_i64()) {
            let offset_us = local.wrapping_sub(event);
            if is_offset(offset_us) {
                read.insert("offset_s".to_owned(), Value::from(offset_us / 1_000_000));
            }
        }
        let read = Value::Object(read);
        let unproven = compare(message, &reading, &read, sealed);
        if best.as_ref().is_none_or(|(fewest, _)| unproven.len() < *fewest) {
            let mut read = read;
            read["word"] = json!(unproven);
            best = Some((unproven.len(), read));
        }
    }
    best.map_or(Value::Null, |(_, read)| read)
}

/// A package's statement about one message, compared with its bytes.
pub(super) struct Compared {
    /// Fields that it admits not to follow from the bytes.
    pub(super) admitted: Vec<String>,
    /// Fields that are claimed to follow, and do not.
    pub(super) wrong: Vec<String>,
    /// True when the host is the address of the peer.
    pub(super) is_host_peer: bool,
    /// The time zone, when the bytes do not contain it.
    pub(super) offset_s: Option<i64>,
}

/// Compares the fields of a message with its bytes; `None` when its statement is malformed.
pub(super) fn check(message: &Value, sealed: ReceivedBytes<'_>) -> Option<Compared> {
    let read = message["read"].as_object()?;
    let known = ["as", "host", "offset_s", "word"];
    if read.keys().any(|name| !known.contains(&name.as_str())) {
        return None;
    }
    let read = &message["read"];
    let reading = Reading::of(read["as"].as_str().filter(|form| FORMS.contains(form))?, sealed)?;
    let admitted: Option<Vec<String>> =
        read["word"].as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect();
    let admitted = admitted?;
    let is_host_peer = match &read["host"] {
        Value::Null => false,
        host => host.as_str() == Some("peer"),
    };
    if !read["host"].is_null() && !is_host_peer {
        return None;
    }
    let offset_s = match &read["offset_s"] {
        Value::Null => None,
        offset => Some(offset.as_i64().filter(|offset| is_offset(offset.saturating_mul(1_000_000)))?),
    };
    let unproven = compare(message, &reading, read, sealed);
    let wrong = unproven.into_iter().filter(|name| !admitted.contains(name)).collect();
    Some(Compared { admitted, wrong, is_host_peer, offset_s })
}

fn is_offset(us: i64) -> bool {
    us % OFFSET_STEP_US == 0 && us.abs() <= OFFSET_US_MAX
}

/// Names of the fields that differ from the reading.
fn compare(message: &Value, reading: &Reading<'_>, read: &Value, sealed: ReceivedBytes<'_>) -> Vec<String> {
    let mut differ = Vec::new();
    if reading.priority.is_none() || message["priority"].as_u64() != reading.priority {
        differ.push("priority".to_owned());
    }
    let event = match reading.time {
        Time::Absent => Some(sealed.received_us),
        Time::Known(us) => Some(us),
        Time::Local(us) => {
            read["offset_s"].as_i64().map(|offset| us.wrapping_sub(offset.wrapping_mul(1_000_000)))
        }
    };
    if event.is_none() || message["event_us"].as_i64() != event {
        differ.push("event_us".to_owned());
    }
    let host = if read["host"].is_null() { text(reading.host) } else { sealed.peer.to_owned() };
    let fields = [
        ("host", host),
        ("program", text(reading.program)),
        ("pid", text(reading.pid)),
        ("msgid", text(reading.msgid)),
        ("message", text(reading.message)),
    ];
    let wrong = fields.into_iter().filter(|(name, want)| message[*name].as_str() != Some(want));
    differ.extend(wrong.map(|(name, _)| name.to_owned()));
    let mut wanted: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, value) in &reading.values {
        wanted.entry(name).or_default().insert(text(value));
    }
    let empty = Map::new();
    let stored = message["values"].as_object().unwrap_or(&empty);
    let names: BTreeSet<&str> = wanted.keys().copied().chain(stored.keys().map(String::as_str)).collect();
    for name in names {
        if stored.get(name).and_then(texts) != wanted.get(name).cloned() {
            differ.push(format!("values.{name}"));
        }
    }
    differ
}

/// One text or several.
fn texts(value: &Value) -> Option<BTreeSet<String>> {
    match value {
        Value::Array(all) => all.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
        one => one.as_str().map(|text| BTreeSet::from([text.to_owned()])),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests;
