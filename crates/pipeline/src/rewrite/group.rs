//! `groupset()` and `groupunset()`: rewrites of all pairs whose names match globs.
//!
//! In: globs of names. Out: the pairs of a message, set or gone. Holds nothing.
//! Limits: names that a message does not have are not made; fields that every message has take part when they
//! are not empty.

use super::apply::typed;
use crate::{
    pattern::Pattern,
    template::{Renderer, Template},
};
use message::{Batch, FieldName, ValueKind, sd_params};
use std::sync::Arc;

/// Fixed fields that may be rewritten as a group.
const FIXED: [&str; 6] = ["HOST", "PROGRAM", "PID", "MSGID", "MESSAGE", "LEGACY_MSGHDR"];
/// The name under which the replacement sees the old value.
const OLD: &str = "_";

/// Sets the pairs that match.
pub(super) fn set(
    globs: &[Arc<Pattern>],
    value: &Template,
    batch: &mut Batch,
    index: usize,
    renderer: &mut Renderer,
) {
    let uses_old = value.text().contains("$_") || value.text().contains("${_");
    let old_name = FieldName::Named(OLD.to_owned());
    for name in matching(globs, batch, index) {
        if uses_old {
            let old = batch.field(index, &name).unwrap_or_default().into_owned();
            batch.set_field(index, &old_name, &old, ValueKind::String);
        }
        let (bytes, kind) = typed(value, batch, index, renderer);
        batch.set_field(index, &name, &bytes, kind);
    }
    if uses_old {
        batch.unset_field(index, &old_name);
    }
}

/// Removes the pairs that match.
pub(super) fn unset(globs: &[Arc<Pattern>], batch: &mut Batch, index: usize) {
    for name in matching(globs, batch, index) {
        batch.unset_field(index, &name);
    }
}

fn matching(globs: &[Arc<Pattern>], batch: &Batch, index: usize) -> Vec<FieldName> {
    let mut names: Vec<Vec<u8>> = batch.values(index).into_iter().map(|(name, ..)| name.to_vec()).collect();
    let sdata = batch.bytes(batch.messages[index].sdata);
    for param in sd_params(sdata).filter(|param| !param.name.is_empty()) {
        names.push([b".SDATA.", param.id, b".", param.name].concat());
    }
    names.sort();
    names.dedup();
    let fixed = FIXED.map(FieldName::parse).into_iter();
    let filled = fixed.filter(|name| batch.field(index, name).is_some_and(|value| !value.is_empty()));
    let others = names.iter().map(|name| FieldName::parse(&String::from_utf8_lossy(name)));
    filled
        .chain(others)
        .filter(|name| globs.iter().any(|glob| glob.is_match(name.as_str().as_bytes())))
        .collect()
}
