//! Value pairs as text: `format-json`, `format-welf`, `format-cef-extension`, `graphite-output`.
//!
//! In: the pairs of a message, or of every message of a correlation. Out: text, appended; nothing at all when a
//! value does not fit its type and `on-error()` requires that. Holds nothing. Limits: none of its own.

use super::{context, json, lines};
use crate::{
    renderer::Renderer,
    template::{JsonForm, PairsFormat, ValuePairs},
};
use message::Batch;

/// Appends the pairs.
pub(super) fn append(
    pairs: &ValuePairs,
    style: &PairsFormat,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    context::each(batch, index, renderer, |batch, index, renderer| {
        if out.len() > start && matches!(style, PairsFormat::Welf | PairsFormat::Cef) {
            out.push(b' ');
        }
        one(pairs, style, batch, index, renderer, out);
    });
}

fn one(
    pairs: &ValuePairs,
    style: &PairsFormat,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) {
    let on_error = renderer.options.on_error;
    let start = out.len();
    let fits = match style {
        PairsFormat::Nested | PairsFormat::Flat => match json::form(pairs, style) {
            JsonForm::Constant(text) => {
                out.extend_from_slice(text);
                true
            }
            JsonForm::Members(members) => json::append_members(pairs, members, (batch, index), renderer, out),
            JsonForm::Collected => {
                json::append(&pairs.collect(batch, index, renderer), pairs, style, on_error, out)
            }
        },
        PairsFormat::Welf => {
            lines::append_welf(&pairs.collect(batch, index, renderer), out);
            true
        }
        PairsFormat::Cef => lines::append_cef(&pairs.collect(batch, index, renderer), on_error, out),
        PairsFormat::Graphite(time) => {
            let found = pairs.collect(batch, index, renderer);
            let seconds = match time {
                Some(time) => time.value(batch, index, renderer).into_owned(),
                None => batch.received_of(index).unix_s().to_string().into_bytes(),
            };
            lines::append_graphite(&found, &seconds, out);
            true
        }
    };
    if !fits {
        out.truncate(start);
    }
}
