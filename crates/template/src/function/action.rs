//! The action of a function on its arguments, compiled.
//!
//! In: a function's options, once; rendered arguments, often. Out: text, appended, and its type. Holds: the options.
//! Limits: how many arguments a function takes is checked when it is compiled.

use super::error::FunctionError;
use message::ValueKind;
use std::{fmt, sync::Arc};

/// The work of a function on its rendered arguments.
#[derive(Clone)]
pub(crate) struct Action(Arc<ActionFn>);

type ActionFn = dyn Fn(&[&[u8]], &mut Vec<u8>) -> ValueKind + Send + Sync;

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Action")
    }
}

impl Action {
    /// Makes an action with a type of its own.
    pub(super) fn typed(run: impl Fn(&[&[u8]], &mut Vec<u8>) -> ValueKind + Send + Sync + 'static) -> Action {
        Action(Arc::new(run))
    }

    /// Makes an action that makes text.
    pub(super) fn text(run: impl Fn(&[&[u8]], &mut Vec<u8>) + Send + Sync + 'static) -> Action {
        Action::typed(move |arguments, out| {
            run(arguments, out);
            ValueKind::String
        })
    }

    /// Makes an action that makes a list.
    pub(super) fn list(run: impl Fn(&[&[u8]], &mut Vec<u8>) + Send + Sync + 'static) -> Action {
        Action::typed(move |arguments, out| {
            run(arguments, out);
            ValueKind::List
        })
    }

    pub(crate) fn run(&self, arguments: &[&[u8]], out: &mut Vec<u8>) -> ValueKind {
        (self.0)(arguments, out)
    }
}

/// A compiled function: its action, and how many words were options.
pub(super) type CompiledFunction = Result<(Action, usize), FunctionError>;

/// Makes an action that needs between `least` and `most` arguments.
pub(super) fn fixed(words: &[&str], least: usize, most: usize, action: Action) -> CompiledFunction {
    let given = words.len();
    if (least..=most).contains(&given) {
        return Ok((action, 0));
    }
    Err(FunctionError::Arguments { least, most, given })
}

/// Parses an integer argument; `None` when it is not one.
pub(super) fn integer(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.trim().parse().ok()
}
