//! The text that a parser reads.
//!
//! In: a template, or nothing for `${MESSAGE}`. Out: the text of a message, and its span in the batch.
//! Holds: the template. Limits: none of its own.

use message::{Batch, Field, FieldName, Span};
use std::sync::Arc;
use template::{Renderer, Template};

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
    pub fn span(&self, batch: &mut Batch, index: usize, renderer: &mut Renderer) -> Span {
        if let Some(span) = self.field.as_ref().and_then(|field| batch.span(index, field)) {
            return span;
        }
        let Some(template) = &self.template else { return Span::EMPTY };
        let mut text = Vec::new();
        template.render(batch, index, renderer, &mut text);
        batch.add_extra(&text)
    }
}
