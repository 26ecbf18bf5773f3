//! Splits the messages of a batch into records for the builder.
//!
//! In: batches, stored documents. Out: records. Holds: values that successive messages share, looked up once per batch.
//! Limits: none.

use super::builder::{Builder, Record, Sender, Text};
use crate::answers::column::Fixed;
use lookup::Document;
use message::{Batch, Marks, Message, Selection, Span, ValueKind};

/// How many messages ahead lookups are announced.
const PREFETCH_DISTANCE: usize = 4;

/// Adds the selected messages.
pub(super) fn append(builder: &mut Builder, batch: &Batch, selection: &Selection) {
    let mut upcoming = selection.iter().skip(PREFETCH_DISTANCE);
    let mut known: Option<(u16, Marks, Sender)> = None;
    for index in selection.iter() {
        if let Some(later) = upcoming.next() {
            builder.prefetch_lookup(batch.bytes(batch.messages[later].pid));
        }
        let message = &batch.messages[index];
        let has_values = batch.has_values(index);
        let sender = match known {
            Some((origin, marks, sender))
                if !has_values && (origin, marks) == (message.origin, message.marks) =>
            {
                sender
            }
            _ => sender_of(builder, batch, index),
        };
        if !has_values {
            known = Some((message.origin, message.marks, sender));
        }
        add_values(builder, batch, index);
        builder.add(&Record {
            raw: batch.bytes(message.raw),
            text: text_of(batch, message),
            host: batch.bytes(message.host),
            program: batch.bytes(message.program),
            pid: batch.bytes(message.pid),
            msgid: batch.bytes(message.msgid),
            pri: message.pri.0,
            event: message.event,
            received_us: batch.received.unix_us,
            sender,
        });
    }
    builder.end_batch();
}

/// Returns the sender of a message, from its origin and its marks.
fn sender_of(builder: &mut Builder, batch: &Batch, index: usize) -> Sender {
    let origin = batch.origin(index);
    let peer = origin.peer.map(|peer| peer.ip().to_canonical().to_string()).unwrap_or_default();
    let tags = batch.tags(index);
    Sender {
        source: builder.value_id(Fixed::Source, origin.source.as_bytes()),
        peer: builder.value_id(Fixed::Peer, peer.as_bytes()),
        tags: builder.tags_id(tags.iter().map(AsRef::as_ref)),
    }
}

/// Adds name-value pairs, then structured data, then the values of the origin; names that were set are not repeated.
fn add_values(builder: &mut Builder, batch: &Batch, index: usize) {
    let set = if batch.has_values(index) { batch.values(index) } else { Vec::new() };
    for (known, value, kind) in &set {
        builder.add_value(&String::from_utf8_lossy(known), *kind, value);
    }
    batch.each_received(index, |name, value| builder.add_value(name, ValueKind::String, value));
}

/// The text as a part of the frame where it is one.
fn text_of<'a>(batch: &'a Batch, message: &Message) -> Text<'a> {
    let (raw, text) = (message.raw, message.text);
    let end = |span: Span| span.start() + span.len();
    let is_inside = text.is_extra() == raw.is_extra() && text.start() >= raw.start() && end(text) <= end(raw);
    if is_inside && batch.bytes(raw).len() == raw.len() {
        Text::Inside(text.start() - raw.start()..end(text) - raw.start())
    } else {
        Text::Apart(batch.bytes(text))
    }
}

/// Adds a document that was read back.
pub(super) fn append_document(builder: &mut Builder, document: &Document) {
    for (name, value, kind) in &document.values {
        builder.add_value(name, *kind, value);
    }
    let sender = Sender {
        source: builder.value_id(Fixed::Source, document.source.as_bytes()),
        peer: builder.value_id(Fixed::Peer, document.peer.as_bytes()),
        tags: builder.tags_id(document.tags.iter().map(String::as_str)),
    };
    let raw = document.raw.as_slice();
    let text = match memchr::memmem::rfind(raw, &document.text) {
        Some(start) => Text::Inside(start..start + document.text.len()),
        None => Text::Apart(&document.text),
    };
    builder.add(&Record {
        raw,
        text,
        host: &document.host,
        program: &document.program,
        pid: &document.pid,
        msgid: &document.msgid,
        pri: document.pri,
        event: document.event,
        received_us: document.received_us,
        sender,
    });
    builder.end_batch();
}
