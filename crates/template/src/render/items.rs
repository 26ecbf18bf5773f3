//! Functions over the elements of lists: `map`, `filter`, `iterate`. `$_` is the element they are at.
//!
//! In: lists. Out: a list, or for `iterate` the next value of a series. Holds nothing: the call holds the position in
//! a series.
//! Limits: none of its own; a list is as long as its text.

use crate::{
    renderer::Renderer,
    template::{ListFunction, Template},
    value::{list_append, list_elements},
};
use message::{Batch, ValueKind};
use std::sync::PoisonError;

/// Appends the result.
pub(super) fn append(
    items: &ListFunction,
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
            found.extend(list_elements(&text));
        }
        found
    };
    let kind = match items {
        ListFunction::Map { template, lists } => {
            for element in elements(lists, renderer) {
                renderer.item = Some(element);
                let mut value = Vec::new();
                template.render_inner(batch, index, renderer, &mut value);
                list_append(&value, start, out);
            }
            ValueKind::List
        }
        ListFunction::Filter { condition, lists } => {
            for element in elements(lists, renderer) {
                renderer.item = Some(element);
                let holds = condition.holds(batch, index, renderer);
                let element = renderer.item.take().unwrap_or_default();
                if holds {
                    list_append(&element, start, out);
                }
            }
            ValueKind::List
        }
        ListFunction::Iterate { template, first, next } => {
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
