//! Template functions that depend only on the text of their arguments.
//!
//! In: a name and the words after it, once; rendered arguments, often. Out: text, appended, and its type.
//! Holds: the options. Limits: each family names its own.

mod action;
mod cut;
mod error;
mod hash;
mod lists;
mod numbers;
mod paths;
mod text;

pub(crate) use action::Action;

use action::CompiledFunction;

/// Compiles the function with a name; `None` when there is none.
pub(crate) fn compile(name: &str, words: &[&str]) -> Option<CompiledFunction> {
    text::compile(name, words)
        .or_else(|| numbers::compile(name, words))
        .or_else(|| lists::compile(name, words))
        .or_else(|| paths::compile(name, words))
        .or_else(|| hash::compile(name, words))
        .or_else(|| cut::compile(name, words))
}

/// Returns true when a function works over all messages of a correlation, and not only over the arguments for one.
pub(crate) fn folds(name: &str) -> bool {
    matches!(name, "sum" | "min" | "max" | "average")
}

/// Returns all names.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let tables = [text::NAMES, numbers::NAMES, lists::NAMES, paths::NAMES, hash::NAMES, cut::NAMES];
    tables.into_iter().flatten().copied()
}
