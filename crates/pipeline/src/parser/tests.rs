//! Rows for the results of parsers, through one check function for each parser.

use super::*;
use message::{Ack, Message, Origin, Span, Stamp, ValueKind};
use std::sync::Arc;
use template::{RenderOptions, Site};

pub(super) fn batch(texts: &[&[u8]]) -> Batch {
    let bytes = Arc::new(texts.concat());
    let mut batch = Batch::new(bytes, vec![Arc::new(Origin::default())], Stamp::default(), Ack::none());
    let mut at = 0;
    for text in texts {
        let whole = Span::received(at, text.len());
        let mut message = Message::default();
        (message.raw, message.text) = (whole, whole);
        batch.messages.push(message);
        at += text.len();
    }
    batch
}

pub(super) fn renderer() -> Renderer {
    Renderer::new(RenderOptions::default(), Arc::new(Site::default()))
}

/// The pairs of a message in the order they were given, with their types where they are not text.
pub(super) fn shown(batch: &Batch, index: usize) -> String {
    let mut pairs: Vec<String> = batch
        .values(index)
        .into_iter()
        .map(|(name, value, kind)| {
            let (name, value) = (String::from_utf8_lossy(name), String::from_utf8_lossy(value));
            match kind {
                ValueKind::String => format!("{name}={value}"),
                kind => format!("{name}:{kind:?}={value}"),
            }
        })
        .collect();
    pairs.reverse();
    pairs.join("|")
}

/// Shows the pairs that a parser finds in a text, or `stopped`.
pub(super) fn parsed(parser: &dyn Parser, text: &[u8]) -> String {
    let mut batch = batch(&[text]);
    let read = parser.parse(&mut batch, &Selection::all(1), &mut renderer());
    let marks = if batch.messages[0].marks.is_empty() { "" } else { " (cut)" };
    if read.has(0) { shown(&batch, 0) + marks } else { "stopped".to_owned() }
}

mod context;
mod csv;
mod date;
mod event_format;
mod geoip;
mod json;
mod kv;
mod rest;
mod writer;
mod xml;
