//! `groupset()` and `groupunset()`: rewrites of all pairs whose names match globs.
//!
//! In: globs of names. Out: the pairs of a message, set or removed. Holds nothing.
//! Limits: pairs that a message does not have are not created; fields that every message has are included if they
//! are not empty.

use message::{Batch, FieldName, sd_params};
use std::sync::Arc;
use template::{Renderer, Template, pattern::Pattern};

/// Fixed fields that may be rewritten as a group.
const FIXED: [&str; 6] = ["HOST", "PROGRAM", "PID", "MSGID", "MESSAGE", "LEGACY_MSGHDR"];

/// Sets the pairs that match; `$_` is the old value.
pub(super) fn set(
    globs: &[Arc<Pattern>],
    value: &Template,
    batch: &mut Batch,
    index: usize,
    renderer: &mut Renderer,
) {
    for name in matching(globs, batch, index) {
        renderer.item = batch.field(index, &name).map(|old| old.into_owned());
        let mut bytes = Vec::new();
        let kind = value.render_typed(batch, index, renderer, &mut bytes);
        batch.set_field(index, &name, &bytes, kind);
    }
    renderer.item = None;
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
