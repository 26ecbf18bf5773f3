//! JSON objects whose members the configuration names one by one: no maps, no sorting for each message.
//!
//! In: a selection without scopes, globs and changes of names; messages. Out: text, appended, the same as that of pairs that
//! were collected. Holds nothing: the selection holds its form. Limits: none of its own.

use super::{append, append_value, segments, shown};
use crate::{
    render::pairs::{Entry, Pairs},
    renderer::{OnError, Renderer},
    template::{JsonForm, JsonMember, PairsFormat, ValuePairs},
    value::{Escape, append_string},
};
use message::{Batch, ValueKind};
use std::collections::BTreeSet;

/// Returns the form of the objects of a selection, found once.
pub(in crate::render) fn form<'p>(pairs: &'p ValuePairs, style: &PairsFormat) -> &'p JsonForm {
    pairs.json_form.get_or_init(|| {
        let is_explicit = pairs.scopes.is_empty() && pairs.globs.is_empty() && pairs.rekeys.is_empty();
        if !is_explicit {
            return JsonForm::Collected;
        }
        constant(pairs, style).or_else(|| members(pairs, style)).unwrap_or(JsonForm::Collected)
    })
}

/// Returns the object, if no message changes it.
fn constant(pairs: &ValuePairs, style: &PairsFormat) -> Option<JsonForm> {
    let mut found = Pairs::new();
    for (name, template) in &pairs.explicit {
        let is_plain = template.hint().is_none() && template.escape == Escape::None;
        let value = template.constant().filter(|_| is_plain)?.to_vec();
        let entry = Entry { value, kind: ValueKind::String, literal: false, hinted: false };
        found.insert(name.as_bytes().to_vec(), entry);
    }
    found.retain(|_, entry| !pairs.leaves_out(entry));
    let mut text = Vec::new();
    // Texts fit their type, so what is done with others makes no difference.
    append(&found, pairs, style, OnError::DropProperty, &mut text).then(|| JsonForm::Constant(text.into()))
}

/// Returns the members in their order, if none of them is an object, and no two have the same name.
fn members(pairs: &ValuePairs, style: &PairsFormat) -> Option<JsonForm> {
    let mut named = Vec::new();
    for (place, (name, _)) in pairs.explicit.iter().enumerate() {
        let name = shown(name.as_bytes(), pairs);
        let parts = match style {
            PairsFormat::Nested => segments(&name, pairs.key_delimiter.0),
            _ => vec![&*name],
        };
        let [only] = parts.as_slice() else { return None };
        let mut key = Vec::new();
        append_string(only, &mut key);
        key.push(b':');
        named.push((name, JsonMember { place, key: key.into() }));
    }
    let names: BTreeSet<_> = named.iter().map(|(name, _)| name).collect();
    if names.len() < named.len() {
        return None;
    }
    named.sort_by(|(one, _), (other, _)| other.cmp(one));
    Some(JsonForm::Members(named.into_iter().map(|(_, member)| member).collect()))
}

/// Appends the object of a message; returns false when the whole output must be dropped.
pub(in crate::render) fn append_members(
    pairs: &ValuePairs,
    members: &[JsonMember],
    (batch, index): (&Batch, usize),
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) -> bool {
    let on_error = renderer.options.on_error;
    out.push(b'{');
    let first = out.len();
    let mut entry = Entry { value: Vec::new(), kind: ValueKind::String, literal: false, hinted: false };
    for JsonMember { place, key } in members {
        let Some((_, template)) = pairs.explicit.get(*place) else { continue };
        pairs.render_explicit(template, (batch, index), renderer, &mut entry);
        if pairs.leaves_out(&entry) {
            continue;
        }
        let start = out.len();
        if start > first {
            out.push(b',');
        }
        out.extend_from_slice(key);
        if !append_value(entry.shown_kind(pairs), &entry, out) {
            match on_error {
                OnError::DropMessage => return false,
                OnError::DropProperty => out.truncate(start),
                OnError::FallbackToString => append_string(&entry.value, out),
            }
        }
    }
    out.push(b'}');
    true
}
