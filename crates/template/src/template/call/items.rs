//! Functions over the elements of lists: `map`, `filter`, `iterate`. `$_` is the element they are at.
//!
//! In: lists. Out: a list, or for `iterate` the next value of a series. Holds: the position in a series.
//! Limits: none of its own; a list is as long as its text.

use super::{Scope, Word};
use crate::template::{Condition, Template, list, parse::TemplateError, render::Renderer};
use message::{Batch, ValueKind};
use std::sync::{Arc, Mutex, PoisonError};

/// A function over elements.
#[derive(Clone, Debug)]
pub(in crate::template) enum Items {
    /// `map`: what the template makes of each element.
    Map { template: Template, lists: Vec<Template> },
    /// `filter`: the elements for which the condition holds.
    Filter { condition: Arc<dyn Condition>, lists: Vec<Template> },
    /// `iterate`: a series that starts with a value, each one made of the one before.
    Iterate { template: Template, first: Template, next: Arc<Mutex<Option<Vec<u8>>>> },
}

impl Scope<'_> {
    pub(super) fn map(&self, words: &[Word]) -> Result<Items, TemplateError> {
        match words {
            [template, lists @ ..] if !lists.is_empty() => {
                Ok(Items::Map { template: self.one(template)?, lists: self.all(lists)? })
            }
            _ => self.wrong("a template and at least one list expected"),
        }
    }

    pub(super) fn filter(&self, words: &[Word]) -> Result<Items, TemplateError> {
        match words {
            [condition, lists @ ..] if !lists.is_empty() => {
                Ok(Items::Filter { condition: self.condition(condition)?, lists: self.all(lists)? })
            }
            _ => self.wrong("a condition and at least one list expected"),
        }
    }

    pub(super) fn iterate(&self, words: &[Word]) -> Result<Items, TemplateError> {
        match words {
            [template, first] => Ok(Items::Iterate {
                template: self.one(template)?,
                first: self.one(first)?,
                next: Arc::default(),
            }),
            _ => self.wrong("a template and a first value expected"),
        }
    }
}

/// Appends the result.
pub(super) fn append(
    items: &Items,
    batch: &Batch,
    index: usize,
    renderer: &mut Renderer,
    out: &mut Vec<u8>,
) -> ValueKind {
    let start = out.len();
    let around = renderer.item.take();
    let elements = |lists: &[Template], renderer: &mut Renderer| -> Vec<Vec<u8>> {
        // Lists may hold the element of a function around this one.
        renderer.item.clone_from(&around);
        let mut found = Vec::new();
        for one in lists {
            let mut text = Vec::new();
            one.render_inner(batch, index, renderer, &mut text);
            found.extend(list::elements(&text));
        }
        found
    };
    let kind = match items {
        Items::Map { template, lists } => {
            for element in elements(lists, renderer) {
                renderer.item = Some(element);
                let mut value = Vec::new();
                template.render_inner(batch, index, renderer, &mut value);
                list::append_after(&value, start, out);
            }
            ValueKind::List
        }
        Items::Filter { condition, lists } => {
            for element in elements(lists, renderer) {
                renderer.item = Some(element);
                let holds = condition.holds(batch, index, renderer);
                let element = renderer.item.take().unwrap_or_default();
                if holds {
                    list::append_after(&element, start, out);
                }
            }
            ValueKind::List
        }
        Items::Iterate { template, first, next } => {
            let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
            let value = match next.take() {
                Some(value) => value,
                None => first.value(batch, index, renderer).into_owned(),
            };
            out.extend_from_slice(&value);
            renderer.item = Some(value);
            let mut following = Vec::new();
            template.render_inner(batch, index, renderer, &mut following);
            *next = Some(following);
            ValueKind::String
        }
    };
    renderer.item = around;
    kind
}
