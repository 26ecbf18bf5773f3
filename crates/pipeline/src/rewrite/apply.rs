//! Runs rewrites over a batch.
//!
//! In: a batch that may be changed and the messages to change. Out: the batch, changed.
//! Holds nothing. Limits: a text with more than [`REPLACED_MAX`] matches keeps the rest as it is.

use super::{Operation, Rewrite, group};
use crate::{
    filter::Filter,
    pattern::{GROUPS_MAX, Groups, Pattern},
    template::{Renderer, Template},
};
use message::{Batch, Facility, FieldName, Priority, Selection, Severity, ValueKind};

/// Most matches that `subst()` replaces in one value.
const REPLACED_MAX: usize = 100_000;
/// Largest priority that `set-pri()` takes.
const PRIORITY_MAX: u16 = 1023;

impl Rewrite {
    /// A rewrite of every message.
    pub fn new(operation: Operation) -> Rewrite {
        Rewrite { operation, condition: None }
    }

    /// Changes those of `within` for which the condition holds.
    pub fn apply(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) {
        let chosen = self.condition.as_deref().map(|filter| chosen(filter, batch, within, renderer));
        for index in chosen.as_ref().unwrap_or(within).iter() {
            change(&self.operation, batch, index, renderer);
        }
    }
}

fn chosen(filter: &Filter, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
    if filter.stores_matches() {
        filter.select_storing(batch, within, renderer)
    } else {
        filter.select(batch, within, renderer)
    }
}

fn change(operation: &Operation, batch: &mut Batch, index: usize, renderer: &mut Renderer) {
    match operation {
        Operation::Set { field, value } => {
            let (bytes, kind) = typed(value, batch, index, renderer);
            batch.set_field(index, field, &bytes, kind);
        }
        Operation::Unset { field } => batch.unset_field(index, field),
        Operation::Subst { field, pattern, replacement } => {
            substitute(field, pattern, replacement, batch, index, renderer);
        }
        Operation::SetTag { tag } => {
            let tag = text(tag, batch, index, renderer);
            batch.add_tag(index, &tag);
        }
        Operation::ClearTag { tag } => {
            let tag = text(tag, batch, index, renderer);
            batch.clear_tag(index, &tag);
        }
        Operation::SetSeverity { value } => {
            let name = text(value, batch, index, renderer);
            let number = name.parse().ok().filter(|code| *code < 8).map(Severity);
            if let Some(severity) = number.or_else(|| Severity::from_name(&name)) {
                let facility = batch.messages[index].pri.facility();
                batch.messages[index].pri = Priority::new(facility, severity);
            }
        }
        Operation::SetFacility { value } => {
            let name = text(value, batch, index, renderer);
            let number = name.parse().ok().filter(|code| *code < 128).map(Facility);
            if let Some(facility) = number.or_else(|| Facility::from_name(&name)) {
                let severity = batch.messages[index].pri.severity();
                batch.messages[index].pri = Priority::new(facility, severity);
            }
        }
        Operation::SetPri { value } => {
            if let Some(pri) =
                text(value, batch, index, renderer).parse().ok().filter(|pri| *pri <= PRIORITY_MAX)
            {
                batch.messages[index].pri = Priority(pri);
            }
        }
        Operation::GroupSet { names, value } => group::set(names, value, batch, index, renderer),
        Operation::GroupUnset { names } => group::unset(names, batch, index),
        Operation::Rename { from, to } => {
            let value = batch.field(index, from).map(|value| value.into_owned());
            if let Some(value) = value
                && from != to
            {
                let kind = batch.kind(index, from);
                batch.set_field(index, to, &value, kind);
                batch.unset_field(index, from);
            }
        }
        Operation::SetMatches { list } => {
            let list = list.value(batch, index, renderer).into_owned();
            set_matches(&crate::template::list_elements(&list), batch, index);
        }
        Operation::UnsetMatches => set_matches(&[], batch, index),
    }
}

fn text(template: &Template, batch: &Batch, index: usize, renderer: &mut Renderer) -> String {
    String::from_utf8_lossy(&template.value(batch, index, renderer)).into_owned()
}

pub(super) fn typed(
    template: &Template,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
) -> (Vec<u8>, ValueKind) {
    let mut bytes = Vec::new();
    let kind = template.render_typed(batch, index, renderer, &mut bytes);
    (bytes, kind)
}

/// Makes elements the groups `$1` and so on, `$0` the empty text, and removes the groups after them.
fn set_matches(elements: &[Vec<u8>], batch: &mut Batch, index: usize) {
    let name = |group: usize| FieldName::Named(group.to_string());
    for (group, element) in elements.iter().take(GROUPS_MAX - 1).enumerate() {
        batch.set_field(index, &name(group + 1), element, ValueKind::String);
    }
    if batch.field(index, &name(0)).is_some() {
        batch.unset_field(index, &name(0));
    }
    for group in elements.len() + 1..GROUPS_MAX {
        if batch.field(index, &name(group)).is_none() {
            break;
        }
        batch.unset_field(index, &name(group));
    }
}

/// Replaces the first match, or all of them. The groups of each match are the values that the replacement sees.
fn substitute(
    field: &FieldName,
    pattern: &Pattern,
    replacement: &Template,
    batch: &mut Batch,
    index: usize,
    renderer: &mut Renderer,
) {
    let Some(old) = batch.field(index, field).map(|value| value.into_owned()) else { return };
    let mut groups = Groups::default();
    let mut new = Vec::with_capacity(old.len());
    let (mut copied, mut from) = (0, 0);
    let constant = replacement.constant().is_some();
    for _ in 0..REPLACED_MAX {
        if !pattern.find(&old, from, &mut groups) {
            break;
        }
        let Some((start, end)) = groups.place(0) else { break };
        new.extend_from_slice(&old[copied..start]);
        if !constant {
            store(&old, &groups, batch, index);
        }
        replacement.render(batch, index, renderer, &mut new);
        copied = end;
        // After an empty match the search goes on one byte later, which stays as it is.
        from = if end == start { end + 1 } else { end };
        if !pattern.flags().global || from > old.len() {
            break;
        }
    }
    if copied == 0 && new.is_empty() && groups.count() == 0 {
        return;
    }
    new.extend_from_slice(&old[copied..]);
    let kind = batch.kind(index, field);
    batch.set_field(index, field, &new, kind);
}

fn store(old: &[u8], groups: &Groups, batch: &mut Batch, index: usize) {
    for group in 0..groups.count().min(GROUPS_MAX) {
        let value = groups.place(group).map_or(&b""[..], |(start, end)| &old[start..end]);
        batch.set_field(index, &FieldName::Named(group.to_string()), value, ValueKind::String);
    }
}
