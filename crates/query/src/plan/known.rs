//! What an index knows of a condition: the documents that may match and, where it cannot decide, those that surely do.
//!
//! In: bitmaps of parts. Out: the bitmaps of the whole, and what to ask of each document in between.

use crate::{
    condition::Condition,
    matcher::{Tokens, holds},
};
use store::{Bitmap, Document};

pub(super) struct Known<'c> {
    /// No other document matches.
    pub(super) upper: Bitmap,
    /// None when every document of `upper` matches.
    pub(super) open: Option<Open<'c>>,
}

pub(super) struct Open<'c> {
    /// These match without doubt.
    pub(super) lower: Bitmap,
    parts: Parts<'c>,
}

/// What decides the documents in doubt.
enum Parts<'c> {
    Leaf(&'c Condition),
    /// The parts that the index did not decide; all must hold.
    And(Vec<Known<'c>>),
    /// One must hold.
    Or(Vec<Known<'c>>),
    Not(Box<Known<'c>>),
}

impl<'c> Known<'c> {
    pub(super) fn exact(documents: Bitmap) -> Known<'c> {
        Known { upper: documents, open: None }
    }

    pub(super) fn leaf(upper: Bitmap, lower: Bitmap, condition: &'c Condition) -> Known<'c> {
        Known { upper, open: Some(Open { lower, parts: Parts::Leaf(condition) }) }
    }

    fn lower(&self) -> &Bitmap {
        self.open.as_ref().map_or(&self.upper, |open| &open.lower)
    }

    fn holds(&self, id: u32, document: &Document, tokens: &mut Tokens) -> bool {
        match &self.open {
            _ if !self.upper.has(id) => false,
            None => true,
            Some(open) => open.lower.has(id) || open.holds(id, document, tokens),
        }
    }
}

impl Open<'_> {
    /// Whether a document in doubt matches.
    pub(super) fn holds(&self, id: u32, document: &Document, tokens: &mut Tokens) -> bool {
        match &self.parts {
            Parts::Leaf(condition) => holds(condition, document, tokens),
            Parts::And(parts) => parts.iter().all(|part| part.holds(id, document, tokens)),
            Parts::Or(parts) => parts.iter().any(|part| part.holds(id, document, tokens)),
            Parts::Not(part) => !part.holds(id, document, tokens),
        }
    }
}

/// All of several: `upper` is what all leave over, `parts` those in doubt.
pub(super) fn all_of<'c>(upper: Bitmap, parts: Vec<Known<'c>>) -> Known<'c> {
    if parts.is_empty() {
        return Known::exact(upper);
    }
    let mut lower = upper.clone();
    parts.iter().for_each(|part| lower.and(part.lower()));
    Known { upper, open: Some(Open { lower, parts: Parts::And(parts) }) }
}

/// One of several.
pub(super) fn any_of<'c>(none: Bitmap, parts: Vec<Known<'c>>) -> Known<'c> {
    let mut upper = none;
    parts.iter().for_each(|part| upper.or(&part.upper));
    if parts.iter().all(|part| part.open.is_none()) {
        return Known::exact(upper);
    }
    let mut lower = Bitmap::none(upper.len());
    parts.iter().for_each(|part| lower.or(part.lower()));
    let doubtful = parts.into_iter().filter(|part| part.open.is_some()).collect();
    Known { upper, open: Some(Open { lower, parts: Parts::Or(doubtful) }) }
}

/// The opposite.
pub(super) fn opposite(mut part: Known<'_>) -> Known<'_> {
    if part.open.is_none() {
        part.upper.negate();
        return part;
    }
    let mut upper = part.lower().clone();
    upper.negate();
    let mut lower = part.upper.clone();
    lower.negate();
    Known { upper, open: Some(Open { lower, parts: Parts::Not(Box::new(part)) }) }
}
