//! The parts of a template, printed for a message.
//!
//! In: a compiled template, a message. Out: bytes, appended, and their type. Holds nothing: the renderer holds the
//! state between messages.
//! Limits: none of its own.

use super::{call, context};
use crate::{
    macros::{self, Macro},
    renderer::Renderer,
    template::{Template, TemplatePart},
    value::Escape,
};
use message::{Batch, FieldName, Span, ValueKind};
use std::borrow::Cow;

impl Template {
    /// Appends the template's text for a message.
    #[inline]
    pub fn render(&self, batch: &Batch, index: usize, renderer: &mut Renderer, out: &mut Vec<u8>) {
        self.render_escaped(batch, index, renderer, self.escape, out);
    }

    /// Does the work of [`Template::render`] with a different escaping of values than the template's.
    pub fn render_escaped(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        escape: Escape,
        out: &mut Vec<u8>,
    ) {
        // Escaping handles each value separately, so nothing can be copied in one piece.
        if escape != Escape::None {
            for part in &self.parts {
                append(part, batch, index, renderer, escape, out);
            }
            return;
        }
        // The parts of nearly every template: slices to copy and times that are printed once a second.
        let mut pending = PendingCopy::default();
        for part in &self.parts {
            match part {
                TemplatePart::Text(text) => pending.text(text, batch, out),
                TemplatePart::Fixed(field) => match batch.fixed_span(index, *field) {
                    Some(span) => pending.span(span, batch, out),
                    // The value is not in the batch but of its origin, such as the name of the sender.
                    None => {
                        pending.flush(batch, out);
                        out.extend_from_slice(batch.fixed(index, *field));
                    }
                },
                // The tag as received is a slice, too.
                TemplatePart::Macro { id: Macro::Msghdr, default: None }
                    if !batch.messages[index].msghdr.is_empty() =>
                {
                    pending.span(batch.messages[index].msghdr, batch, out);
                }
                TemplatePart::Macro { id, default: None } => {
                    pending.flush(batch, out);
                    macros::append(*id, batch, index, renderer, out);
                }
                _ => {
                    pending.flush(batch, out);
                    append(part, batch, index, renderer, escape, out);
                }
            }
        }
        pending.flush(batch, out);
    }

    /// Appends the template's text and returns its type: the hint's, or that of its only macro.
    pub fn render_typed(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        out: &mut Vec<u8>,
    ) -> ValueKind {
        let mut kind = ValueKind::String;
        for part in &self.parts {
            kind = append(part, batch, index, renderer, self.escape, out);
        }
        match self.hint {
            Some(hint) => hint.kind(),
            None => self.kind(kind, batch, index),
        }
    }

    /// Appends an argument of a function. Nothing in it is escaped: the result of the outermost function is, once.
    pub(super) fn render_inner(
        &self,
        batch: &Batch,
        index: usize,
        renderer: &mut Renderer,
        out: &mut Vec<u8>,
    ) -> ValueKind {
        let mut kind = ValueKind::String;
        for part in &self.parts {
            kind = append(part, batch, index, renderer, Escape::None, out);
        }
        self.kind(kind, batch, index)
    }

    /// Returns the type of the rendered text: that of the only part.
    fn kind(&self, rendered: ValueKind, batch: &Batch, index: usize) -> ValueKind {
        match self.parts.as_slice() {
            [TemplatePart::Fixed(field)] if self.typed => batch.fixed_kind(index, *field),
            [_] if self.typed => rendered,
            _ => ValueKind::String,
        }
    }

    /// Returns the text for a message, without copying if the template is constant or one field.
    #[inline]
    pub fn value<'a>(&'a self, batch: &'a Batch, index: usize, renderer: &mut Renderer) -> Cow<'a, [u8]> {
        match self.parts.as_slice() {
            [] => Cow::Borrowed(b""),
            [TemplatePart::Text(text)] => Cow::Borrowed(text),
            [TemplatePart::Field { name, default: None, bytes: true }] if self.escape == Escape::None => {
                batch.field(index, name).unwrap_or_default()
            }
            [TemplatePart::Fixed(field)] if self.escape == Escape::None => {
                Cow::Borrowed(batch.fixed(index, *field))
            }
            _ => {
                let mut out = Vec::new();
                self.render(batch, index, renderer, &mut out);
                Cow::Owned(out)
            }
        }
    }
}

/// Received bytes that are yet to be copied: a line that is written as received, except for its time, is one copy and
/// not one for each of its fields and of the blanks between them.
#[derive(Default)]
struct PendingCopy {
    start: usize,
    end: usize,
}

impl PendingCopy {
    #[inline]
    fn text(&mut self, text: &[u8], batch: &Batch, out: &mut Vec<u8>) {
        if let [byte] = text {
            // Blanks and line ends: no call to compare or to copy one byte.
            if self.start < self.end && batch.received_bytes.get(self.end) == Some(byte) {
                self.end += 1;
            } else {
                self.flush(batch, out);
                out.push(*byte);
            }
            return;
        }
        // A header is written as `$HOST $PROGRAM: `: its constant texts are mostly the bytes that were received there.
        let next = batch.received_bytes.get(self.end..self.end + text.len());
        if self.start < self.end && next == Some(text) {
            self.end += text.len();
        } else {
            self.flush(batch, out);
            out.extend_from_slice(text);
        }
    }

    #[inline]
    fn span(&mut self, span: Span, batch: &Batch, out: &mut Vec<u8>) {
        if span.is_empty() {
            return;
        }
        // Made bytes are in another buffer: they end the pending copy.
        if span.is_extra() {
            self.flush(batch, out);
            out.extend_from_slice(batch.bytes(span));
            return;
        }
        // Text that follows directly extends the piece; anything else starts a new one.
        if self.end != span.start() {
            self.flush(batch, out);
            self.start = span.start();
        } else if self.start == self.end {
            self.start = span.start();
        }
        self.end = span.start() + span.len();
    }

    /// Copies the pending bytes.
    #[inline]
    fn flush(&mut self, batch: &Batch, out: &mut Vec<u8>) {
        if self.start < self.end {
            out.extend_from_slice(batch.received_bytes.get(self.start..self.end).unwrap_or_default());
        }
        self.start = self.end;
    }
}

/// Appends one part; the result is its type.
#[inline]
fn append(
    part: &TemplatePart,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    escape: Escape,
    out: &mut Vec<u8>,
) -> ValueKind {
    let start = out.len();
    let (kind, default) = match part {
        TemplatePart::Text(text) => {
            out.extend_from_slice(text);
            return ValueKind::String;
        }
        TemplatePart::Fixed(field) => {
            out.extend_from_slice(batch.fixed(index, *field));
            if escape != Escape::None {
                escape.apply(out, start);
            }
            return ValueKind::String;
        }
        TemplatePart::Field { name, default, bytes } => {
            let kind = match batch.typed_field(index, name) {
                Some((_, ValueKind::Bytes)) if !bytes => ValueKind::Null,
                Some((value, kind)) => {
                    out.extend_from_slice(&value);
                    kind
                }
                None => ValueKind::Null,
            };
            (kind, default)
        }
        TemplatePart::Item { default } => {
            match &renderer.item {
                Some(item) => out.extend_from_slice(item),
                None => out.extend_from_slice(&batch.field(index, &item_name()).unwrap_or_default()),
            }
            (ValueKind::String, default)
        }
        TemplatePart::Back { back, part } => {
            let run = |batch: &Batch, index: usize, renderer: &mut Renderer| {
                append(part, batch, index, renderer, escape, out)
            };
            return context::referred(*back, batch, index, renderer, run).unwrap_or(ValueKind::Null);
        }
        TemplatePart::Macro { id, default } => (macros::append(*id, batch, index, renderer, out), default),
        TemplatePart::Call(call) => {
            let kind = call::append(call, batch, index, renderer, out);
            if escape != Escape::None {
                escape.apply(out, start);
            }
            return kind;
        }
    };
    let default = default.as_ref().filter(|_| out.len() == start);
    // In the name of a file the default is a part of the path; elsewhere it replaces the value.
    if escape == Escape::FileName {
        escape.apply(out, start);
    }
    if let Some(default) = default {
        out.extend_from_slice(default);
    }
    if escape == Escape::Quotes {
        escape.apply(out, start);
    }
    if default.is_some() { ValueKind::String } else { kind }
}

/// Returns the pair that `$_` names outside `$(map ...)` and similar functions.
fn item_name() -> FieldName {
    FieldName::Named("_".to_owned())
}
