//! Values of a message as a document.
//!
//! In: values, each with the parts of its name. Out: the elements of a document, without its own id. Holds: them.
//! Limits: [`DEPTH_MAX`]; a name with a NUL makes a dead letter. A name of both a value and a document is in that document: a
//! name is only once in each.

use delivery::RowError;
use message::TypedValue;
use std::collections::BTreeMap;
use transport::mongodb::{Scalar, Writer};

/// Deepest documents: servers take a hundred.
const DEPTH_MAX: usize = 90;
/// The name of the id of a document.
const ID: &[u8] = b"_id";

/// The content of a name: a value, a document, or both.
#[derive(Default)]
struct Node {
    /// An element as bytes.
    value: Option<Vec<u8>>,
    inner: Names,
}

type Names = BTreeMap<Vec<u8>, Node>;

/// A document in the making.
#[derive(Default)]
pub(super) struct Document {
    names: Names,
    fault: Option<RowError>,
}

impl Document {
    /// Adds a value.
    pub(super) fn add(&mut self, path: &[&[u8]], value: TypedValue<'_>) {
        let Some((last, parents)) = path.split_last() else { return };
        if path.len() > DEPTH_MAX {
            self.refuse(format!("a name has more than {DEPTH_MAX} parts"));
        } else if path.iter().any(|part| part.contains(&0)) {
            self.refuse("a name has a NUL");
        } else {
            let mut names = &mut self.names;
            for part in parents {
                names = &mut names.entry(part.to_vec()).or_default().inner;
            }
            names.entry(last.to_vec()).or_default().value = Some(encoded(last, value));
        }
    }

    fn refuse(&mut self, fault: impl ToString) {
        self.fault.get_or_insert_with(|| RowError::bad_name(fault));
    }

    /// Returns the elements, and whether one of them is the id of the document.
    pub(super) fn finish(self) -> Result<(Vec<u8>, bool), RowError> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let mut out = Vec::new();
        write(&self.names, &mut Writer::new(&mut out));
        Ok((out, self.names.contains_key(ID)))
    }
}

fn write(names: &Names, writer: &mut Writer<'_>) {
    for (name, Node { value, inner }) in names {
        let value = value.as_deref().unwrap_or_default();
        match inner.is_empty() {
            true => writer.elements(value),
            false => writer.document(name, |writer| {
                if !inner.contains_key(name) {
                    writer.elements(value);
                }
                write(inner, writer);
            }),
        }
    }
}

fn encoded(name: &[u8], value: TypedValue<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out);
    match value {
        TypedValue::Text(bytes) => writer.put(name, text(bytes).as_str()),
        TypedValue::Integer(number) => writer.put(name, number),
        TypedValue::Double(number) => writer.put(name, Scalar::Double(number)),
        TypedValue::Boolean(is_true) => writer.put(name, is_true),
        TypedValue::Datetime(milliseconds) => writer.put(name, Scalar::Datetime(milliseconds)),
        TypedValue::Null => writer.put(name, Scalar::Null),
        TypedValue::Bytes(bytes) => writer.put(name, Scalar::Binary(bytes)),
        TypedValue::List(list) => writer.array(name, list.len(), |writer, index, name| {
            writer.put(name, text(&list[index]).as_str());
        }),
        TypedValue::Json(json) => match serde_json::from_slice::<serde_json::Value>(json) {
            Ok(value) if fits(&value, DEPTH_MAX) => write_json(name, &value, &mut writer),
            _ => writer.put(name, text(json).as_str()),
        },
    }
    out
}

/// Returns a text; bytes that are not UTF-8 become `\xhh`, as in JSON.
fn text(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02x}"));
        }
    }
    out
}

/// Returns true when a value is no deeper than this, and has names that a document can have.
fn fits(value: &serde_json::Value, depth: usize) -> bool {
    match value {
        serde_json::Value::Array(list) => depth > 0 && list.iter().all(|value| fits(value, depth - 1)),
        serde_json::Value::Object(names) => {
            depth > 0 && names.iter().all(|(name, value)| !name.contains('\0') && fits(value, depth - 1))
        }
        _ => true,
    }
}

fn write_json(name: &[u8], value: &serde_json::Value, writer: &mut Writer<'_>) {
    match value {
        serde_json::Value::Null => writer.put(name, Scalar::Null),
        serde_json::Value::Bool(is_true) => writer.put(name, *is_true),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => writer.put(name, number),
            None => writer.put(name, Scalar::Double(number.as_f64().unwrap_or_default())),
        },
        serde_json::Value::String(text) => writer.put(name, text.as_str()),
        serde_json::Value::Array(list) => writer.array(name, list.len(), |writer, index, name| {
            write_json(name, &list[index], writer);
        }),
        serde_json::Value::Object(names) => writer.document(name, |writer| {
            for (name, value) in names {
                write_json(name.as_bytes(), value, writer);
            }
        }),
    }
}
