//! Value pairs as text: `format-json`, `format-welf`, `format-cef-extension`, `graphite-output`.
//!
//! In: the pairs of a message, or of every message of a correlation. Out: text, appended; nothing at all when a
//! value does not fit its type and `on-error()` says so. Holds nothing. Limits: none of its own.

use super::{
    Template, context, json, lines,
    pairs::ValuePairs,
    render::{OnError, Renderer},
};
use message::{Batch, ValueKind};

/// The form of the output.
#[derive(Clone, Debug)]
pub(super) enum Style {
    /// JSON; names with dots are objects in objects.
    Nested,
    /// JSON; names as they are.
    Flat,
    /// `name=value name="other value"`
    Welf,
    /// `name=value name=other value`, the extension of a CEF line.
    Cef,
    /// `name value seconds`, a line each; the seconds are when the message was received unless a text says it.
    Graphite(Option<Template>),
}

impl Style {
    /// Returns the type of the output.
    pub(super) fn kind(&self) -> ValueKind {
        match self {
            Style::Nested | Style::Flat => ValueKind::Json,
            _ => ValueKind::String,
        }
    }
}

/// Appends the pairs.
pub(super) fn append(
    pairs: &ValuePairs,
    style: &Style,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) {
    let start = out.len();
    context::each(batch, index, renderer, |batch, index, renderer| {
        if out.len() > start && matches!(style, Style::Welf | Style::Cef) {
            out.push(b' ');
        }
        one(pairs, style, batch, index, renderer, out);
    });
}

fn one(
    pairs: &ValuePairs,
    style: &Style,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) {
    let on_error = renderer.options.on_error;
    let found = pairs.collect(batch, index, renderer);
    let start = out.len();
    let fits = match style {
        Style::Nested | Style::Flat => json::append(&found, pairs, style, on_error, out),
        Style::Welf => {
            lines::append_welf(&found, out);
            true
        }
        Style::Cef => lines::append_cef(&found, on_error == OnError::DropMessage, out),
        Style::Graphite(time) => {
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
