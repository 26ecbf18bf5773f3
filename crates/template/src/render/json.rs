//! Value pairs as JSON.
//!
//! In: sorted pairs. Out: text, appended; nothing at all when a value does not fit its type and `on-error()`
//! requires that. Holds nothing. Limits: none; nesting is as deep as names have dots.

mod members;

pub(super) use members::{append_members, form};

use super::pairs::{Entry, Pairs};
use crate::{
    renderer::OnError,
    template::{KeyDelimiter, PairsFormat, ValuePairs},
    value::{append_string, integer, list_elements, truth},
};
use message::ValueKind;
use std::borrow::Cow;

/// Appends the pairs of a message; returns false when the whole output must be dropped.
pub(super) fn append(
    found: &Pairs,
    pairs: &ValuePairs,
    style: &PairsFormat,
    on_error: OnError,
    out: &mut Vec<u8>,
) -> bool {
    let delimiter = pairs.key_delimiter;
    let mut writer = Writer { out, path: Vec::new(), first: true, pairs, delimiter, value: Vec::new() };
    writer.out.push(b'{');
    // Names are in falling order, as in the output that users compare with.
    let mut named: Vec<(Cow<'_, [u8]>, &Entry)> =
        found.iter().rev().map(|(name, entry)| (shown(name, pairs), entry)).collect();
    if named.iter().any(|(name, _)| matches!(name, Cow::Owned(_))) {
        named.sort_by(|(one, _), (other, _)| other.cmp(one));
    }
    for (name, entry) in named {
        if !writer.entry(&name, entry, style, on_error) {
            return false;
        }
    }
    writer.close(0);
    out.push(b'}');
    true
}

struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// The open objects.
    path: Vec<Vec<u8>>,
    /// True until the innermost open object has a member.
    first: bool,
    pairs: &'a ValuePairs,
    /// Between the names of nested objects.
    delimiter: KeyDelimiter,
    /// The value that is written next.
    value: Vec<u8>,
}

/// Returns a name as JSON has it: a dot at its start is a `_` unless it stays.
fn shown<'n>(name: &'n [u8], pairs: &ValuePairs) -> Cow<'n, [u8]> {
    match name {
        [b'.', rest @ ..] if !pairs.keeps_dot() => Cow::Owned([b"_", rest].concat()),
        name => Cow::Borrowed(name),
    }
}

impl Writer<'_> {
    /// Appends one pair; returns false when the whole output must be dropped.
    fn entry(&mut self, name: &[u8], entry: &Entry, style: &PairsFormat, on_error: OnError) -> bool {
        self.value.clear();
        if !append_value(entry.shown_kind(self.pairs), entry, &mut self.value) {
            match on_error {
                OnError::DropMessage => return false,
                OnError::DropProperty => return true,
                OnError::FallbackToString => append_string(&entry.value, &mut self.value),
            }
        }
        let mut parts = match style {
            PairsFormat::Nested => segments(name, self.delimiter.0),
            _ => vec![name],
        };
        let common = self.path.iter().zip(&parts).take_while(|(open, part)| open == *part).count();
        self.close(common);
        // A value whose name is also that of an object is put into it: a key occurs only once.
        let last = parts.pop().unwrap_or_default();
        for part in parts.get(common..).unwrap_or_default() {
            self.key(part);
            self.out.push(b'{');
            self.path.push(part.to_vec());
            self.first = true;
        }
        self.key(last);
        self.out.extend_from_slice(&self.value);
        true
    }

    fn key(&mut self, key: &[u8]) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(b',');
        }
        append_string(key, self.out);
        self.out.push(b':');
    }

    /// Closes objects until `depth` are open.
    fn close(&mut self, depth: usize) {
        while self.path.len() > depth {
            self.path.pop();
            self.out.push(b'}');
            self.first = false;
        }
    }
}

/// Returns the parts of a name between delimiters. One at the start of a part opens no object; one at the end of all is
/// left out. The number of an enterprise in an id of structured data (`name@18372.4`) does not end a part, whatever
/// dots it has.
pub(super) fn segments(name: &[u8], delimiter: u8) -> Vec<&[u8]> {
    let name = name.strip_suffix(&[delimiter]).filter(|rest| !rest.is_empty()).unwrap_or(name);
    let mut parts = Vec::new();
    let mut start = 0;
    let mut numbered_until = 0;
    for dot in memchr::memchr2_iter(delimiter, b'@', name) {
        if dot < numbered_until {
            continue;
        }
        if name[dot] == b'@' {
            numbered_until = after_number(name, dot + 1);
            continue;
        }
        if dot == start {
            continue;
        }
        parts.push(&name[start..dot]);
        start = dot + 1;
    }
    parts.push(&name[start..]);
    parts
}

/// Returns the end of an enterprise number, whose parts are digits with dots between them.
fn after_number(name: &[u8], start: usize) -> usize {
    let digits = |from: usize| from + name[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(start);
    while name.get(end) == Some(&b'.') && name.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = digits(end + 1);
    }
    end
}

/// Appends a value in its type; false when it does not fit.
fn append_value(kind: ValueKind, entry: &Entry, out: &mut Vec<u8>) -> bool {
    let value = entry.value.as_slice();
    match kind {
        _ if entry.literal => out.extend_from_slice(value),
        ValueKind::Integer => match integer(value) {
            Some(number) => out.extend_from_slice(number.to_string().as_bytes()),
            None => return false,
        },
        ValueKind::Double => match std::str::from_utf8(value).map(str::parse::<f64>) {
            Ok(Ok(number)) if number.is_finite() => out.extend_from_slice(value.trim_ascii()),
            _ => return false,
        },
        ValueKind::Boolean => match truth(value) {
            Some(true) => out.extend_from_slice(b"true"),
            Some(false) => out.extend_from_slice(b"false"),
            None => return false,
        },
        ValueKind::Null => out.extend_from_slice(b"null"),
        ValueKind::Json if !value.is_empty() => out.extend_from_slice(value),
        ValueKind::List => {
            out.push(b'[');
            for (index, element) in list_elements(value).iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                append_string(element, out);
            }
            out.push(b']');
        }
        _ => append_string(value, out),
    }
    true
}
