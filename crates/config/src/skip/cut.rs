//! Removes the part of a statement that an error concerns.
//!
//! In: a statement and an error. Out: the statement without a part, or the answer that all of it must be left out.

use super::{
    inside::holds,
    path::{self, PathCut, has_destination, has_source},
    walk,
};
use crate::{
    diagnostic::Diagnostic,
    text::{Span, Texts},
    tree::{Item, Kind, Object, Path, Statement},
};

/// The effect of an error on one statement.
pub(super) enum Cut {
    /// The error is not about this statement.
    Elsewhere,
    /// A part of it is left out.
    Part(String),
    /// All of it has to be left out.
    Whole,
}

/// Removes from a statement the part that an error concerns.
pub(super) fn cut(statement: &mut Statement, texts: &Texts, error: &Diagnostic) -> Cut {
    let within = |span: Span| holds(texts, span, error.span);
    match statement {
        Statement::Object(object) => cut_object(object, texts, error),
        Statement::Filter(named) if walk::filter_spans(&named.filter).into_iter().any(within) => Cut::Whole,
        Statement::Template(template) | Statement::TemplateFunction(template)
            if within(template.name.span) || template.options.iter().any(|call| within(call.span)) =>
        {
            Cut::Whole
        }
        Statement::Options(calls) => match calls.iter().position(|call| within(call.span)) {
            Some(at) => Cut::Part(format!("global option `{}()`", calls.remove(at).name.text)),
            None => Cut::Elsewhere,
        },
        Statement::Log(path) => cut_path(path, texts, error),
        Statement::Logspace(view) if view.options.iter().any(|call| within(call.span)) => Cut::Whole,
        Statement::Later(later) if within(later.keyword.span) => Cut::Whole,
        _ => Cut::Elsewhere,
    }
}

/// Removes a driver of a source or a destination; other objects are steps that messages must not skip.
fn cut_object(object: &mut Object, texts: &Texts, error: &Diagnostic) -> Cut {
    let found = object.items.iter().position(|item| walk::item_holds(item, texts, error.span));
    let Some(at) = found else { return Cut::Elsewhere };
    let is_end = matches!(object.kind, Kind::Source | Kind::Destination);
    match object.items.get(at) {
        Some(Item::Call(call)) if is_end && object.items.len() > 1 => {
            let what =
                format!("{} `{}`, driver `{}()`", object.kind.word(), object.name.text, call.name.text);
            object.items.remove(at);
            Cut::Part(what)
        }
        _ => Cut::Whole,
    }
}

fn cut_path(path: &mut Path, texts: &Texts, error: &Diagnostic) -> Cut {
    let (fed, ends) = (has_source(path), has_destination(path));
    match path::cut(path, texts, error) {
        PathCut::Elsewhere => Cut::Elsewhere,
        PathCut::Whole => Cut::Whole,
        PathCut::Part(_) if (fed && !has_source(path)) || (ends && !has_destination(path)) => Cut::Whole,
        PathCut::Part(what) => {
            Cut::Part(format!("{what} in the log path of line {}", texts.location(path.span).line))
        }
    }
}
