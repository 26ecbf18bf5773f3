//! What a parser reads, and the loop over the messages of a batch.
//!
//! In: a template, or nothing for `${MESSAGE}`. Out: the text of each message, and where in the batch it lies.
//! Holds: the reader and its input. Limits: none of its own.

use super::{
    Parser, Reader, Writer,
    writer::{Names, Target},
};
use message::{Batch, Field, FieldName, Selection, Span};
use std::sync::Arc;
use template::{Renderer, Template};

/// Most values of a first message that room is made for in all others.
const VALUES_LIKELY_MAX: usize = 64;

/// The text that a parser reads: `template(...)`.
#[derive(Clone, Debug)]
pub struct Input {
    /// The field, when the template is just one; then nothing is rendered.
    field: Option<FieldName>,
    template: Option<Arc<Template>>,
}

impl Input {
    /// Makes an input of `${MESSAGE}`.
    pub fn message() -> Input {
        Input { field: Some(FieldName::Fixed(Field::Message)), template: None }
    }

    /// Makes an input of `${PROGRAM}`.
    pub fn program() -> Input {
        Input { field: Some(FieldName::Fixed(Field::Program)), template: None }
    }

    /// Makes an input of a template.
    pub fn of(template: Arc<Template>) -> Input {
        Input { field: template.only_field(), template: Some(template) }
    }

    /// Returns the span of the text of a message; rendered text is added to the batch first.
    pub fn place(&self, batch: &mut Batch, index: usize, renderer: &mut Renderer) -> Span {
        if let Some(span) = self.field.as_ref().and_then(|field| batch.span(index, field)) {
            return span;
        }
        let Some(template) = &self.template else { return Span::EMPTY };
        let mut text = Vec::new();
        template.render(batch, index, renderer, &mut text);
        batch.add_extra(&text)
    }
}

/// A [`Reader`] as a step of a path.
pub struct TextParser<R> {
    reader: R,
    input: Input,
    /// Stands before the names of all values.
    prefix: String,
}

impl<R: Reader> TextParser<R> {
    /// Makes a reader of an input, with the prefix of the names it gives.
    pub fn new(reader: R, input: Input, prefix: impl Into<String>) -> TextParser<R> {
        TextParser { reader, input, prefix: prefix.into() }
    }
}

impl<R: Reader> Parser for TextParser<R> {
    fn parse(&self, batch: &mut Batch, within: &Selection, renderer: &mut Renderer) -> Selection {
        let received = batch.received_bytes.clone();
        let mut names = Names::new(&self.prefix);
        let mut read = within.clone();
        let mut copy = Vec::new();
        let mut rest = within.count();
        let mut is_first = true;
        for index in within.iter() {
            let span = self.input.place(batch, index, renderer);
            // Text among the bytes that the batch grows by is read from a copy; its places stay the same.
            let text = if span.is_extra() {
                copy.clear();
                copy.extend_from_slice(batch.bytes(span));
                copy.as_slice()
            } else {
                received.get(span.start()..span.start() + span.len()).unwrap_or_default()
            };
            let target = Target { index, text_at: text.as_ptr() as usize, span };
            let mut writer = Writer::new(batch, &mut names, target);
            if !self.reader.read(text, &mut writer) {
                read.remove(index);
            }
            rest -= 1;
            // Neighbouring messages have about the same number of values: memory is reserved once for all.
            if std::mem::take(&mut is_first) {
                let count = writer.count();
                batch.reserve_values(count.min(VALUES_LIKELY_MAX) * rest);
            }
        }
        read
    }
}
