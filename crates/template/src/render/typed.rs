//! Value pairs in their types, for receivers that store more than text.
//!
//! In: a compiled selection, a message. Out: values, each with the parts of its name. Holds nothing.
//! Limits: none of its own; nesting is as deep as names have dots.

use super::{json::segments, pairs::Entry};
use crate::{
    renderer::{OnError, Renderer},
    template::ValuePairs,
    value::{integer, list_elements, truth},
};
use message::{AddTyped, Batch, CastError, TypedValue, ValueKind};

/// Milliseconds of a second.
const MS: f64 = 1000.0;
/// Most seconds of a time: 64-bit milliseconds hold more.
const SECONDS_MAX: f64 = 9e15;

impl ValuePairs {
    /// Calls `add` with the values of a message, sorted by name. A dot at the start of a name is a `_`, as in JSON. What does
    /// not fit its type follows `on-error()` of the renderer.
    pub fn typed_pairs(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        add: &mut AddTyped<'_>,
    ) -> Result<(), CastError> {
        let on_error = renderer.options.on_error;
        for (mut name, entry) in self.collect(batch, index, renderer) {
            let kind = if self.cast_to_strings && !entry.hinted { ValueKind::String } else { entry.kind };
            let value = match (typed(kind, &entry), on_error) {
                (Some(value), _) => value,
                (None, OnError::FallbackToString) => TypedValue::Text(&entry.value),
                (None, OnError::DropProperty) => continue,
                (None, OnError::DropMessage) => {
                    let name = String::from_utf8_lossy(&name).into_owned();
                    return Err(CastError { name, kind });
                }
            };
            if let Some(first) = name.first_mut().filter(|first| **first == b'.') {
                *first = b'_';
            }
            add(&segments(&name, b'.'), value);
        }
        Ok(())
    }
}

/// Returns a value in its type; `None` when it does not fit.
fn typed(kind: ValueKind, entry: &Entry) -> Option<TypedValue<'_>> {
    let value = entry.value.as_slice();
    let number = || std::str::from_utf8(value).ok()?.trim().parse::<f64>().ok().filter(|n| n.is_finite());
    Some(match kind {
        _ if entry.literal => TypedValue::Json(value),
        ValueKind::Integer => TypedValue::Integer(integer(value)?),
        ValueKind::Double => TypedValue::Double(number()?),
        ValueKind::Boolean => TypedValue::Boolean(truth(value)?),
        ValueKind::Datetime => {
            let seconds = number().filter(|seconds| seconds.abs() < SECONDS_MAX)?;
            TypedValue::Datetime((seconds * MS).round() as i64)
        }
        ValueKind::List => TypedValue::List(list_elements(value)),
        ValueKind::Json => TypedValue::Json(value),
        ValueKind::Null => TypedValue::Null,
        ValueKind::Bytes => TypedValue::Bytes(value),
        ValueKind::String | ValueKind::Tag | ValueKind::Unset => TypedValue::Text(value),
    })
}
