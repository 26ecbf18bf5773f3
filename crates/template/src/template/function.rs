//! Template functions that look only at the text of their arguments.
//!
//! In: a name and the words after it, once; rendered arguments, often. Out: text, appended, and its type.
//! Holds: the options. Limits: each family names its own.

mod cut;
mod hash;
mod lists;
mod numbers;
mod paths;
mod text;

use message::ValueKind;
use std::{fmt, sync::Arc};

/// The work of a function on its rendered arguments.
#[derive(Clone)]
pub(super) struct Action(Arc<Run>);

type Run = dyn Fn(&[&[u8]], &mut Vec<u8>) -> ValueKind + Send + Sync;

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Action")
    }
}

impl Action {
    /// Makes an action with a type of its own.
    fn typed(run: impl Fn(&[&[u8]], &mut Vec<u8>) -> ValueKind + Send + Sync + 'static) -> Action {
        Action(Arc::new(run))
    }

    /// Makes an action that makes text.
    fn text(run: impl Fn(&[&[u8]], &mut Vec<u8>) + Send + Sync + 'static) -> Action {
        Action::typed(move |arguments, out| {
            run(arguments, out);
            ValueKind::String
        })
    }

    /// Makes an action that makes a list.
    fn list(run: impl Fn(&[&[u8]], &mut Vec<u8>) + Send + Sync + 'static) -> Action {
        Action::typed(move |arguments, out| {
            run(arguments, out);
            ValueKind::List
        })
    }

    pub(super) fn run(&self, arguments: &[&[u8]], out: &mut Vec<u8>) -> ValueKind {
        (self.0)(arguments, out)
    }
}

/// A compiled function: its action, and how many words were options.
type Compiled = Result<(Action, usize), String>;

/// Compiles the function of a name; `None` when there is none.
pub(super) fn compile(name: &str, words: &[&str]) -> Option<Compiled> {
    text::compile(name, words)
        .or_else(|| numbers::compile(name, words))
        .or_else(|| lists::compile(name, words))
        .or_else(|| paths::compile(name, words))
        .or_else(|| hash::compile(name, words))
        .or_else(|| cut::compile(name, words))
}

/// Returns true when a function works over all messages of a correlation, and not only over the arguments for one.
pub(super) fn folds(name: &str) -> bool {
    matches!(name, "sum" | "min" | "max" | "average")
}

/// Returns all names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    let tables = [text::NAMES, numbers::NAMES, lists::NAMES, paths::NAMES, hash::NAMES, cut::NAMES];
    tables.into_iter().flatten().copied()
}

/// Makes an action that needs between `least` and `most` arguments.
fn fixed(words: &[&str], least: usize, most: usize, action: Action) -> Compiled {
    let given = words.len();
    if (least..=most).contains(&given) {
        return Ok((action, 0));
    }
    Err(match (least, most) {
        (least, usize::MAX) => format!("at least {least} arguments expected, {given} given"),
        (least, most) if least == most => format!("{least} arguments expected, {given} given"),
        _ => format!("{least} to {most} arguments expected, {given} given"),
    })
}

/// Reads a whole number of an argument; `None` when it is none.
fn integer(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}
