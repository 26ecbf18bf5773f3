//! The key of a message in a rule: the values of the fields that messages are grouped by, as bytes.
//!
//! In: a message, the fields. Out: each value but the last with its length before it. Limits: [`VALUE_BYTES_MAX`]: a
//! longer value is cut and ends with its digest, so that values which differ have keys that differ.

use crate::rule::Rule;
use lookup::Document;
use query::Name;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Longest value of a key: what people group by is shorter, and a million keys are in memory.
const VALUE_BYTES_MAX: usize = 256;
/// Bytes that are kept of a longer value, before its digest.
const VALUE_BYTES_KEPT: usize = 220;

/// Makes keys, in memory that is used again.
#[derive(Default, Debug)]
pub(crate) struct KeyMaker {
    key: Vec<u8>,
}

impl KeyMaker {
    /// Returns the key of a message; none when it lacks a field and the rule names no value for that.
    pub(crate) fn key(&mut self, rule: &Rule, by: &[Name], document: &Document) -> Option<&[u8]> {
        self.key.clear();
        for (index, name) in by.iter().enumerate() {
            let value = name.value(document).map(|(value, _)| value).filter(|value| !value.is_empty());
            let value = value.or_else(|| rule.missing.clone())?;
            append(&mut self.key, &value, place_of(index, by.len()));
        }
        Some(&self.key)
    }
}

/// Position of a value in its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeyPlace {
    /// Others follow it, so its length is written.
    Inner,
    /// It ends the key.
    Last,
}

/// Returns the position of one of several values.
pub(crate) fn place_of(index: usize, count: usize) -> KeyPlace {
    if index + 1 == count { KeyPlace::Last } else { KeyPlace::Inner }
}

/// Appends a value to a key.
pub(crate) fn append(key: &mut Vec<u8>, value: &[u8], place: KeyPlace) {
    let short = (value.len() > VALUE_BYTES_MAX).then(|| shortened(value));
    let value = short.as_deref().unwrap_or(value);
    if place == KeyPlace::Inner {
        key.extend((value.len() as u16).to_le_bytes());
    }
    key.extend_from_slice(value);
}

/// Appends a value to a whole key, whose last value becomes one in the middle.
pub(crate) fn extended(key: &[u8], count: usize, value: &[u8]) -> Vec<u8> {
    let mut longer = Vec::with_capacity(key.len() + value.len() + 2);
    for (index, part) in split(key, count).into_iter().enumerate() {
        append(&mut longer, part, place_of(index, count + 1));
    }
    append(&mut longer, value, KeyPlace::Last);
    longer
}

/// Returns the values of a key of `count` values.
pub(crate) fn split(key: &[u8], count: usize) -> Vec<&[u8]> {
    let mut rest = key;
    let mut values = Vec::with_capacity(count);
    for index in 0..count {
        if place_of(index, count) == KeyPlace::Last {
            values.push(rest);
            break;
        }
        let Some((length, after)) = rest.split_first_chunk::<2>() else { break };
        let (value, after) = after.split_at(usize::from(u16::from_le_bytes(*length)).min(after.len()));
        values.push(value);
        rest = after;
    }
    values
}

/// Cuts a value and appends its digest.
pub(crate) fn shortened(value: &[u8]) -> Vec<u8> {
    let mut short = value[..VALUE_BYTES_KEPT].to_vec();
    let mut digest = String::from("~");
    for byte in &Sha256::digest(value)[..16] {
        // Writing to a string cannot fail.
        let _ = write!(digest, "{byte:02x}");
    }
    short.extend_from_slice(digest.as_bytes());
    short
}
