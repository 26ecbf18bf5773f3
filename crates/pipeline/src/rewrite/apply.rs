//! Runs rewrites over a batch.
//!
//! In: a batch that may be changed and the messages to change. Out: the batch, changed.
//! A constant value and the name of the field are the same for all messages: they are put into the batch once.
//! Holds nothing. Limits: those of each operation.

use super::{
    group,
    operation::{Operation, Rewrite},
    replace,
    target::FieldTarget,
    zone::{self, Zone},
};
use crate::{filter::Filter, matches};
use jiff::tz::TimeZone;
use message::{Batch, Facility, FieldName, Priority, Selection, Severity, Stamp, ValueKind};
use template::{Renderer, Template};

/// Largest priority that `set-pri()` takes.
const PRIORITY_MAX: u16 = 1023;

impl Rewrite {
    /// Makes a rewrite of every message.
    pub fn new(operation: Operation) -> Rewrite {
        Rewrite { operation, condition: None, rendering: None }
    }

    /// Changes those of `within` for which the condition holds.
    pub fn apply(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) {
        let chosen = self.condition.as_deref().map(|filter| chosen(filter, batch, within, renderer));
        let within = chosen.as_ref().unwrap_or(within);
        match &self.rendering {
            Some(options) => renderer.with_options(options, |renderer| self.run(batch, within, renderer)),
            None => self.run(batch, within, renderer),
        }
    }

    fn run(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) {
        match &self.operation {
            Operation::Set { field, value } => set(field, value, batch, within, renderer),
            Operation::Subst { field, pattern, replacement } => {
                replace::all(field, pattern, replacement, batch, within, renderer);
            }
            operation => within.iter().for_each(|index| change(operation, batch, index, renderer)),
        }
    }
}

/// Sets the value of a field.
fn set(field: &FieldName, value: &Template, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) {
    let target = FieldTarget::of(field, batch);
    let kind_of = |template: &Template| template.hint().map_or(ValueKind::String, |hint| hint.kind());
    if let Some(constant) = value.constant() {
        let span = batch.add_extra(constant);
        within.iter().for_each(|index| target.set(batch, index, span, kind_of(value)));
        return;
    }
    let mut bytes = Vec::new();
    for index in within.iter() {
        bytes.clear();
        let kind = value.render_typed(batch, index, renderer, &mut bytes);
        let span = batch.add_extra(&bytes);
        target.set(batch, index, span, kind);
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
        // These two run over the whole batch, see `apply`.
        Operation::Set { .. } | Operation::Subst { .. } => {}
        Operation::Unset { field } => batch.unset_field(index, field),
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
            if let Some(severity) = severity_of(&name) {
                let facility = batch.messages[index].pri.facility();
                batch.messages[index].pri = Priority::new(facility, severity);
            }
        }
        Operation::SetFacility { value } => {
            let name = text(value, batch, index, renderer);
            if let Some(facility) = facility_of(&name) {
                let severity = batch.messages[index].pri.severity();
                batch.messages[index].pri = Priority::new(facility, severity);
            }
        }
        Operation::SetPri { value } => {
            if let Some(pri) = priority_of(&text(value, batch, index, renderer)) {
                batch.messages[index].pri = pri;
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
            matches::store_list(batch, index, &template::list_elements(&list));
        }
        Operation::UnsetMatches => matches::store_list(batch, index, &[]),
        Operation::SetZone { zone } => rezone(zone, zone::shown_in, batch, index, renderer),
        Operation::FixZone { zone } => rezone(zone, zone::read_in, batch, index, renderer),
        Operation::GuessZone => {
            let received = batch.received;
            let event = &mut batch.messages[index].event;
            *event = wire::guess_zone(*event, received);
        }
        Operation::MapPairs { pairs } => {
            for (name, value, kind) in pairs.pairs(batch, index, renderer) {
                batch.set_field(index, &FieldName::parse(&name), &value, kind);
            }
        }
    }
}

/// Returns the severity that a name or a number from 0 to 7 gives; `None` for other texts, which change nothing.
pub fn severity_of(text: &str) -> Option<Severity> {
    let number = text.parse().ok().filter(|code| *code < 8).map(Severity);
    number.or_else(|| Severity::from_name(text))
}

/// Returns the facility that a name or a number from 0 to 127 gives; `None` for other texts, which change nothing.
pub fn facility_of(text: &str) -> Option<Facility> {
    let number = text.parse().ok().filter(|code| *code < 128).map(Facility);
    number.or_else(|| Facility::from_name(text))
}

/// Returns the priority that a number from 0 to 1,023 gives; `None` for other texts, which change nothing.
pub fn priority_of(text: &str) -> Option<Priority> {
    text.parse().ok().filter(|pri| *pri <= PRIORITY_MAX).map(Priority)
}

fn rezone(
    zone: &Zone,
    change: fn(Stamp, &TimeZone) -> Stamp,
    batch: &mut Batch,
    index: usize,
    renderer: &mut Renderer,
) {
    if let Some(zone) = zone.of(batch, index, renderer) {
        let event = &mut batch.messages[index].event;
        *event = change(*event, &zone);
    }
}

fn text(template: &Template, batch: &Batch, index: usize, renderer: &mut Renderer) -> String {
    String::from_utf8_lossy(&template.value(batch, index, renderer)).into_owned()
}
