//! `subst()`: replaces the matches of a pattern.
//!
//! In: a batch, a field, a pattern and the replacement of its matches. Out: the batch, changed.
//! Nothing is copied for a message without a match. The groups of a match are spans of the old value.
//! Limits: a text with more than [`REPLACED_MAX`] matches keeps the rest unchanged.

use super::target::FieldTarget;
use crate::matches;
use message::{Batch, FieldName, Selection, Span};
use template::{
    Renderer, Template,
    pattern::{Groups, Pattern},
};

/// Most matches that are replaced in one value.
const REPLACED_MAX: usize = 100_000;

/// Replaces in the messages of `within`.
pub(super) fn all(
    field: &FieldName,
    pattern: &Pattern,
    replacement: &Template,
    batch: &mut Batch,
    within: &Selection,
    renderer: &mut Renderer,
) {
    let target = FieldTarget::of(field, batch);
    let (mut groups, mut new) = (Groups::default(), Vec::new());
    // A replacement without macros needs no groups, but a later step may use them.
    let constant = replacement.constant().filter(|_| !pattern.flags().store_matches);
    if constant.is_some() && *field == FieldName::Fixed(message::Field::Message) {
        // New texts are about as long as the old ones: memory for them is reserved once.
        batch.extra.reserve(batch.received_bytes.len());
    }
    for index in within.iter() {
        new.clear();
        let old = match batch.span(index, field) {
            Some(old) => old,
            None => match matches::span_of(batch, index, field) {
                Some(old) => old,
                None => continue,
            },
        };
        // A received value is not among the bytes that grow here: the new one is written directly to its final
        // position.
        if let Some(constant) = constant.filter(|_| !old.is_extra()) {
            let start = batch.extra.len();
            let bytes = batch.received_bytes.get(old.start()..old.start() + old.len()).unwrap_or_default();
            if with_constant(pattern, constant, bytes, &mut batch.extra) {
                let kind = batch.kind(index, field);
                target.set(batch, index, Span::extra(start, batch.extra.len() - start), kind);
            }
            continue;
        }
        let changed = match constant {
            Some(constant) => with_constant(pattern, constant, batch.bytes(old), &mut new),
            None => with_template(pattern, replacement, old, batch, index, renderer, &mut groups, &mut new),
        };
        if changed {
            let kind = batch.kind(index, field);
            let span = batch.add_extra(&new);
            target.set(batch, index, span, kind);
        }
    }
}

/// Returns the offset at which the search continues after a match: after an empty match one byte later, and that byte
/// stays as it is. The search ends at the end of the text: nothing is inserted after a match that reaches it.
fn next((start, end): (usize, usize)) -> usize {
    if end == start { end + 1 } else { end }
}

fn with_constant(pattern: &Pattern, replacement: &[u8], old: &[u8], new: &mut Vec<u8>) -> bool {
    let (mut copied, mut from, mut changed) = (0, 0, false);
    for _ in 0..REPLACED_MAX {
        let Some(place) = pattern.find_range(old, from) else { break };
        new.extend_from_slice(&old[copied..place.0]);
        new.extend_from_slice(replacement);
        (copied, from, changed) = (place.1, next(place), true);
        if !pattern.flags().global || from >= old.len() {
            break;
        }
    }
    if changed {
        new.extend_from_slice(old.get(copied..).unwrap_or_default());
    }
    changed
}

#[expect(clippy::too_many_arguments, reason = "the parts of one loop, apart only for its length")]
fn with_template(
    pattern: &Pattern,
    replacement: &Template,
    old: Span,
    batch: &mut Batch,
    index: usize,
    renderer: &mut Renderer,
    groups: &mut Groups,
    new: &mut Vec<u8>,
) -> bool {
    let (mut copied, mut from, mut changed) = (0, 0, false);
    for _ in 0..REPLACED_MAX {
        if !pattern.find(batch.bytes(old), from, groups) {
            break;
        }
        let Some(place) = groups.range(0) else { break };
        new.extend_from_slice(batch.bytes(old.part(copied, place.0)));
        if pattern.flags().store_matches {
            matches::store_named(pattern, batch, index, old, groups);
        } else {
            matches::store(batch, index, old, groups, matches::Unused::of(pattern));
        }
        replacement.render(batch, index, renderer, new);
        (copied, from, changed) = (place.1, next(place), true);
        if !pattern.flags().global || from >= old.len() {
            break;
        }
    }
    new.extend_from_slice(batch.bytes(old.part(copied, old.len())));
    changed
}
