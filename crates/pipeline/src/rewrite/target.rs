//! The destination of the new values of a field.
//!
//! In: a field; values of messages, often. Out: the messages, changed. Holds: the name of a pair, which is in the batch
//! once and not once per message.
//! Limits: none.

use message::{Batch, FieldName, Span, ValueKind};

/// The destination of a field's new values: the name of a pair is in the batch once.
pub(super) enum FieldTarget {
    Fixed(message::Field),
    Named(Span),
}

impl FieldTarget {
    pub(super) fn of(field: &FieldName, batch: &mut Batch) -> FieldTarget {
        match field {
            FieldName::Fixed(field) => FieldTarget::Fixed(*field),
            FieldName::Sdata(name) | FieldName::Named(name) => {
                FieldTarget::Named(batch.add_extra(name.as_bytes()))
            }
        }
    }

    pub(super) fn set(&self, batch: &mut Batch, index: usize, value: Span, kind: ValueKind) {
        match self {
            FieldTarget::Fixed(field) => batch.set_typed(index, *field, value, kind),
            FieldTarget::Named(name) => batch.push_value(index, *name, value, kind),
        }
    }
}
