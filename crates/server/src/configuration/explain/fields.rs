//! The fields of a message for readers, and the difference between two states of it.
//!
//! In: a message. Out: names with values. Limits: values are shown completely, with control characters escaped.

use super::story::{Change, Field};
use crate::terminal;
use message::{Batch, Field as Fixed, ValueKind};
use pipeline::Definitions;
use template::{Renderer, Template};

/// The fields that every message has, in the order of a header.
const HEADER: &[(&str, &str)] = &[
    ("PRI", "${FACILITY}.${SEVERITY}"),
    ("ISODATE", "${ISODATE}"),
    ("HOST", "${HOST}"),
    ("HOST_FROM", "${HOST_FROM}"),
    ("PROGRAM", "${PROGRAM}"),
    ("PID", "${PID}"),
    ("MSGID", "${MSGID}"),
    ("SDATA", "${SDATA}"),
    ("MESSAGE", "${MESSAGE}"),
    ("TAGS", "${TAGS}"),
];

/// Reads fields of messages.
pub(super) struct Reader {
    header: Vec<(&'static str, Template)>,
    renderer: Renderer,
}

impl Reader {
    pub(super) fn new(renderer: Renderer) -> Reader {
        let around = Definitions::default();
        let parsed =
            HEADER.iter().filter_map(|(name, text)| Some((*name, Template::parse(text, &around).ok()?)));
        Reader { header: parsed.collect(), renderer }
    }

    pub(super) fn renderer(&mut self, batch: &Batch) -> &mut Renderer {
        self.renderer.now = batch.received;
        &mut self.renderer
    }

    /// Returns the non-empty fields of a message: the header, then pairs in the order in which they were set.
    pub(super) fn fields(&mut self, batch: &Batch, index: usize) -> Vec<Field> {
        let mut fields = Vec::new();
        for (name, template) in &self.header {
            let value = shown(&template.value(batch, index, &mut self.renderer));
            if !value.is_empty() {
                fields.push(Field { name: (*name).to_owned(), value, kind: None });
            }
        }
        let origin = batch.origin(index);
        let given =
            origin.values.iter().map(|(name, value)| (name.as_bytes(), value.as_slice(), ValueKind::String));
        let mut values = batch.values(index);
        values.reverse();
        for (name, value, kind) in given.chain(values) {
            let is_header = Fixed::from_name(name).is_some();
            let name = shown(name);
            fields.retain(|field: &Field| is_header || field.name != name);
            fields.push(Field { name, value: shown(value), kind: kind_name(kind) });
        }
        fields
    }
}

/// Returns the differences, in the order of the fields after the step.
pub(super) fn changes(before: &[Field], after: &[Field]) -> Vec<Change> {
    let find = |fields: &[Field], name: &str| fields.iter().find(|field| field.name == name).map(text);
    let mut changes = Vec::new();
    for field in after {
        let old = find(before, &field.name);
        if old.as_ref() != Some(&text(field)) {
            changes.push(Change { name: field.name.clone(), before: old, after: Some(text(field)) });
        }
    }
    for field in before.iter().filter(|field| find(after, &field.name).is_none()) {
        changes.push(Change { name: field.name.clone(), before: Some(text(field)), after: None });
    }
    changes
}

/// Returns a value, with its type unless it is text.
fn text(field: &Field) -> String {
    match field.kind {
        Some(kind) => format!("{kind}({})", field.value),
        None => field.value.clone(),
    }
}

fn kind_name(kind: ValueKind) -> Option<&'static str> {
    Some(match kind {
        ValueKind::Integer => "int",
        ValueKind::Double => "double",
        ValueKind::Boolean => "boolean",
        ValueKind::Datetime => "datetime",
        ValueKind::List => "list",
        ValueKind::Json => "json",
        ValueKind::Null => "null",
        ValueKind::Bytes => "bytes",
        _ => return None,
    })
}

/// Escapes bytes for readers.
pub(super) fn shown(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for letter in String::from_utf8_lossy(bytes).chars() {
        match letter {
            '\n' => text.push_str("\\n"),
            '\t' => text.push('\t'),
            letter if terminal::is_control(letter) => text.extend(letter.escape_default()),
            letter => text.push(letter),
        }
    }
    text
}
