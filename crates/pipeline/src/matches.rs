//! The values `$0` to `$255`: the groups of the last match that was stored.
//!
//! In: a text in a batch and the ranges of groups in it. Out: values that are spans of that text; nothing is copied.
//! Holds: the names. Limits: [`GROUPS_MAX`] groups; those of a longer earlier match are removed.

use message::{Batch, FieldName, Span, ValueKind};
use std::sync::LazyLock;
use template::pattern::{GROUPS_MAX, Groups, Pattern};

static NAMES: LazyLock<Vec<FieldName>> =
    LazyLock::new(|| (0..GROUPS_MAX).map(|group| FieldName::Named(group.to_string())).collect());

/// The treatment of the value of a group that took no part in the match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unused {
    /// It keeps the value of an earlier match.
    Kept,
    /// It is removed.
    Removed,
}

impl Unused {
    /// Returns the treatment that the flags of the pattern ask for.
    pub(crate) fn of(pattern: &Pattern) -> Unused {
        if pattern.flags().keeps_unused_groups { Unused::Kept } else { Unused::Removed }
    }
}

/// Makes the groups of a match in `text` the values of a message. `unused` decides about groups that took no part
/// in the match.
pub(crate) fn store(batch: &mut Batch, index: usize, text: Span, groups: &Groups, unused: Unused) {
    let count = groups.count().min(GROUPS_MAX);
    for group in 0..count {
        match groups.range(group) {
            Some((start, end)) => {
                batch.set_value(index, NAMES[group].as_str(), text.part(start, end), ValueKind::String);
            }
            None if unused == Unused::Kept => {}
            None => unset(batch, index, group),
        }
    }
    forget(batch, index, count);
}

/// Does the work of [`store`], and makes values of named groups under their names.
pub(crate) fn store_named(pattern: &Pattern, batch: &mut Batch, index: usize, text: Span, groups: &Groups) {
    store(batch, index, text, groups, Unused::of(pattern));
    for (name, group) in pattern.names() {
        let Some((start, end)) = groups.range(*group) else { continue };
        match FieldName::parse(name) {
            FieldName::Fixed(field) => batch.set_fixed(index, field, text.part(start, end)),
            FieldName::Sdata(name) | FieldName::Named(name) => {
                batch.set_value(index, &name, text.part(start, end), ValueKind::String);
            }
        }
    }
}

/// Makes the elements of a list the values from `$1` on, and removes `$0`.
pub(crate) fn store_list(batch: &mut Batch, index: usize, elements: &[Vec<u8>]) {
    let count = elements.len().min(GROUPS_MAX - 1);
    for (group, element) in elements[..count].iter().enumerate() {
        batch.set_field(index, &NAMES[group + 1], element, ValueKind::String);
    }
    unset(batch, index, 0);
    forget(batch, index, count + 1);
}

/// Returns the span of a field's value; a value outside the batch is copied into it.
pub(crate) fn span_of(batch: &mut Batch, index: usize, field: &FieldName) -> Option<Span> {
    if let Some(span) = batch.span(index, field) {
        return Some(span);
    }
    let value = batch.field(index, field)?.into_owned();
    Some(batch.add_extra(&value))
}

fn unset(batch: &mut Batch, index: usize, group: usize) {
    if batch.field(index, &NAMES[group]).is_some() {
        batch.unset_field(index, &NAMES[group]);
    }
}

/// Removes the groups from one on.
fn forget(batch: &mut Batch, index: usize, from: usize) {
    for number in batch.numbered(index, from) {
        batch.unset_field(index, &NAMES[usize::from(number)]);
    }
}
