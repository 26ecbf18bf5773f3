//! A filter in its parts, as written, to show which of them decides about a message.
//!
//! In: a message. Out: the result of every part that was evaluated. Holds: each test as a filter of its own.
//! Parts are evaluated in the order of the configuration, and no more of them than needed.
//! Limits: nested as deep as filters are.

use super::expression::Filter;
use message::{Batch, Selection};
use std::sync::Arc;
use template::Renderer;

/// An expression in its parts.
#[derive(Clone, Debug)]
pub enum Anatomy {
    /// All must hold.
    All(Vec<Anatomy>),
    /// One must hold.
    Any(Vec<Anatomy>),
    /// It must not hold.
    Not(Box<Anatomy>),
    /// One test.
    Test {
        /// As written.
        text: String,
        /// The test alone.
        filter: Arc<Filter>,
    },
    /// `filter(name)`.
    Named {
        /// The name.
        name: String,
        /// Its expression.
        inside: Arc<Anatomy>,
    },
}

/// The answer of a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The part.
    pub text: String,
    /// True when it holds; `None` when it was not evaluated because other parts had decided.
    pub holds: Option<bool>,
    /// Its parts.
    pub parts: Vec<Verdict>,
}

impl Verdict {
    fn new(text: impl Into<String>, holds: Option<bool>, parts: Vec<Verdict>) -> Verdict {
        Verdict { text: text.into(), holds, parts }
    }
}

impl Anatomy {
    /// Returns the answers about a message. Matches that a test stores are stored in this copy of the batch, for the
    /// next test.
    pub fn judge(&self, batch: &mut Batch, index: usize, renderer: &mut Renderer) -> Verdict {
        match self {
            Anatomy::Test { text, filter } => {
                let mut one = Selection::none(batch.len());
                one.add(index);
                let held = match filter.stores_matches() {
                    true => filter.select_storing(batch, &one, renderer),
                    false => filter.select(batch, &one, renderer),
                };
                Verdict::new(text, Some(!held.is_empty()), Vec::new())
            }
            Anatomy::Not(part) => {
                let part = part.judge(batch, index, renderer);
                Verdict::new("not", part.holds.map(|holds| !holds), vec![part])
            }
            Anatomy::Named { name, inside } => {
                let part = inside.judge(batch, index, renderer);
                Verdict::new(format!("filter({name})"), part.holds, vec![part])
            }
            Anatomy::All(parts) => Join::And.judge(parts, batch, index, renderer),
            Anatomy::Any(parts) => Join::Or.judge(parts, batch, index, renderer),
        }
    }

    /// Returns the verdict of a part that was not evaluated.
    fn unasked(&self) -> Verdict {
        let text = match self {
            Anatomy::All(_) => "and".to_owned(),
            Anatomy::Any(_) => "or".to_owned(),
            Anatomy::Not(_) => "not".to_owned(),
            Anatomy::Test { text, .. } => text.clone(),
            Anatomy::Named { name, .. } => format!("filter({name})"),
        };
        let parts = match self {
            Anatomy::All(parts) | Anatomy::Any(parts) => parts.iter().map(Anatomy::unasked).collect(),
            Anatomy::Not(part) => vec![part.unasked()],
            Anatomy::Test { .. } | Anatomy::Named { .. } => Vec::new(),
        };
        Verdict::new(text, None, parts)
    }
}

/// The word between parts.
#[derive(Clone, Copy)]
enum Join {
    And,
    Or,
}

impl Join {
    /// Evaluates parts until one has the deciding result: `false` for `and`, `true` for `or`.
    fn judge(self, parts: &[Anatomy], batch: &mut Batch, index: usize, renderer: &mut Renderer) -> Verdict {
        let (word, decisive) = match self {
            Join::And => ("and", false),
            Join::Or => ("or", true),
        };
        let mut decided = false;
        let verdicts = parts.iter().map(|part| {
            if decided {
                return part.unasked();
            }
            let verdict = part.judge(batch, index, renderer);
            decided = verdict.holds == Some(decisive);
            verdict
        });
        let verdicts = verdicts.collect();
        Verdict::new(word, Some(decided == decisive), verdicts)
    }
}

#[cfg(test)]
mod tests;
