//! Walks through statements, to find the item at a position and the items that name a template.
//!
//! In: parts of a tree. Out: positions. Holds nothing.

use super::inside::holds;
use crate::{
    text::{Span, Texts},
    tree::{Arg, Call, Filter, FilterLeaf, Item, MatchTarget, Path, Reference, Statement, Step},
};

/// Returns true when an error lies inside an item.
pub(super) fn item_holds(item: &Item, texts: &Texts, error: Span) -> bool {
    match item {
        Item::Call(call) => holds(texts, call.span, error),
        Item::Step(step) => step_holds(step, texts, error),
    }
}

fn step_holds(step: &Step, texts: &Texts, error: Span) -> bool {
    let path = |path: &Path| path.steps.iter().any(|step| step_holds(step, texts, error));
    match step {
        Step::Use(Reference::Named(_, name)) => name.span == error,
        Step::Use(Reference::InPlace(_, items, _)) => items.iter().any(|item| item_holds(item, texts, error)),
        Step::Filter(filter) => filter_spans(filter).into_iter().any(|span| holds(texts, span, error)),
        Step::Junction(junction) => junction.branches.iter().any(|branch| path(&branch.path)),
        Step::Channel(inner) | Step::Log(inner) => path(inner),
        Step::If(condition) => {
            let tests = condition.arms.iter().filter_map(|arm| arm.test.as_ref());
            tests.flat_map(filter_spans).any(|span| holds(texts, span, error))
                || condition.arms.iter().map(|arm| &arm.path).chain(&condition.otherwise).any(path)
        }
        Step::Parallelize(call) => holds(texts, call.span, error),
        Step::Later(keyword, _) => holds(texts, keyword.span, error),
    }
}

/// Returns the spans of a filter and of everything in it: a filter of several texts has no span of its own.
pub(super) fn filter_spans(filter: &Filter) -> Vec<Span> {
    let mut spans = vec![filter.span()];
    match filter {
        Filter::And(inner, _) | Filter::Or(inner, _) => spans.extend(inner.iter().flat_map(filter_spans)),
        Filter::Not(inner, _) => spans.extend(filter_spans(inner)),
        Filter::Leaf(_, _) => {}
    }
    spans
}

/// Returns the spans where a template is named: every argument of its text, since most options take a name or a text.
pub(super) fn mentions(statements: &[Statement], template: &str) -> Vec<Span> {
    let mut found = Vec::new();
    for statement in statements {
        match statement {
            Statement::Object(object) => items(&object.items, template, &mut found),
            Statement::Filter(named) => filter(&named.filter, template, &mut found),
            Statement::Options(calls) => calls.iter().for_each(|one| call(one, template, &mut found)),
            Statement::Log(inner) => path(inner, template, &mut found),
            _ => {}
        }
    }
    found
}

fn items(items: &[Item], template: &str, found: &mut Vec<Span>) {
    for item in items {
        match item {
            Item::Call(one) => call(one, template, found),
            Item::Step(one) => step(one, template, found),
        }
    }
}

fn path(path: &Path, template: &str, found: &mut Vec<Span>) {
    path.steps.iter().for_each(|one| step(one, template, found));
}

fn step(step: &Step, template: &str, found: &mut Vec<Span>) {
    match step {
        Step::Use(Reference::InPlace(_, inner, _)) => items(inner, template, found),
        Step::Filter(inner) => filter(inner, template, found),
        Step::Junction(junction) => {
            junction.branches.iter().for_each(|branch| path(&branch.path, template, found))
        }
        Step::Channel(inner) | Step::Log(inner) => path(inner, template, found),
        Step::If(condition) => {
            for arm in &condition.arms {
                arm.test.iter().for_each(|test| filter(test, template, found));
                path(&arm.path, template, found);
            }
            condition.otherwise.iter().for_each(|inner| path(inner, template, found));
        }
        Step::Parallelize(one) => call(one, template, found),
        Step::Use(Reference::Named(_, _)) | Step::Later(_, _) => {}
    }
}

fn filter(inner: &Filter, template: &str, found: &mut Vec<Span>) {
    match inner {
        Filter::And(filters, _) | Filter::Or(filters, _) => {
            filters.iter().for_each(|one| filter(one, template, found))
        }
        Filter::Not(one, _) => filter(one, template, found),
        Filter::Leaf(leaf, _) => {
            let named = match leaf {
                FilterLeaf::Match(one) => match &one.target {
                    MatchTarget::Template(name) => Some(name),
                    MatchTarget::Line | MatchTarget::Value(_) => None,
                },
                FilterLeaf::RateLimit { key, .. } => key.as_ref(),
                _ => None,
            };
            found.extend(named.filter(|name| name.text == template).map(|name| name.span));
        }
    }
}

fn call(one: &Call, template: &str, found: &mut Vec<Span>) {
    one.args.iter().for_each(|arg| argument(arg, template, found));
}

fn argument(arg: &Arg, template: &str, found: &mut Vec<Span>) {
    match arg {
        Arg::Word(name) | Arg::Text(name) if name.text == template => found.push(name.span),
        Arg::Call(inner) => call(inner, template, found),
        Arg::Pair(_, value) => argument(value, template, found),
        Arg::Group(args, _) => args.iter().for_each(|arg| argument(arg, template, found)),
        Arg::Filter(inner) => filter(inner, template, found),
        _ => {}
    }
}
