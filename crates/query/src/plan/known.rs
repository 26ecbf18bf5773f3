//! The knowledge of an index about a condition: the documents that may match and, if it is undecided, those that
//! certainly do.
//!
//! In: bitmaps of parts. Out: the bitmaps of the whole, and the test for each document in between.
//! Holds: bitmaps of undecided parts only, as many as the plan allows.

use crate::condition::{
    Condition,
    matcher::{MessageTokens, holds},
};
use lookup::{Bitmap, Document};

pub(super) struct Known<'c> {
    /// No other document matches.
    pub(super) upper: Bitmap,
    /// None when every document of `upper` matches.
    pub(super) open: Option<Open<'c>>,
}

pub(super) struct Open<'c> {
    /// Documents that certainly match; none when no document is known to.
    pub(super) lower: Option<Bitmap>,
    parts: Parts<'c>,
}

/// The conditions that decide the documents in doubt.
enum Parts<'c> {
    Leaf(&'c Condition),
    /// The parts that the index did not decide; all must hold.
    And(Vec<UndecidedPart<'c>>),
    /// One must hold.
    Or(Vec<UndecidedPart<'c>>),
    Not(Box<UndecidedPart<'c>>),
}

/// A member of a chain that the index did not decide.
pub(super) struct UndecidedPart<'c> {
    /// No other document matches it; none when the bitmap was too much to keep.
    upper: Option<Bitmap>,
    open: Open<'c>,
}

impl<'c> Known<'c> {
    pub(super) fn exact(documents: Bitmap) -> Known<'c> {
        Known { upper: documents, open: None }
    }

    /// Makes the knowledge of documents that must each be tested.
    pub(super) fn undecided(upper: Bitmap, lower: Option<Bitmap>, condition: &'c Condition) -> Known<'c> {
        Known { upper, open: Some(Open { lower, parts: Parts::Leaf(condition) }) }
    }

    /// Returns the negation.
    pub(super) fn opposite(mut self) -> Known<'c> {
        let Some(open) = self.open else {
            self.upper.negate();
            return self;
        };
        let mut upper = open.lower.clone().unwrap_or_else(|| Bitmap::none(self.upper.len()));
        upper.negate();
        let mut lower = self.upper.clone();
        lower.negate();
        let part = UndecidedPart { upper: Some(self.upper), open };
        Known { upper, open: Some(Open { lower: Some(lower), parts: Parts::Not(Box::new(part)) }) }
    }
}

impl<'c> UndecidedPart<'c> {
    /// Makes a part with its bitmaps.
    pub(super) fn kept(upper: Bitmap, open: Open<'c>) -> UndecidedPart<'c> {
        UndecidedPart { upper: Some(upper), open }
    }

    /// Makes a part without bitmaps: evaluating the whole member again is always correct, only slower.
    pub(super) fn forgotten(member: &'c Condition) -> UndecidedPart<'c> {
        UndecidedPart { upper: None, open: Open { lower: None, parts: Parts::Leaf(member) } }
    }

    fn holds(&self, id: u32, document: &Document, tokens: &mut MessageTokens) -> bool {
        if self.upper.as_ref().is_some_and(|upper| !upper.has(id)) {
            return false;
        }
        self.open.lower.as_ref().is_some_and(|lower| lower.has(id)) || self.open.holds(id, document, tokens)
    }
}

impl Open<'_> {
    /// Returns the documents that must be tested, of those that may match.
    pub(super) fn undecided(&self, upper: &Bitmap) -> Bitmap {
        let mut undecided = upper.clone();
        if let Some(lower) = &self.lower {
            undecided.and_not(lower);
        }
        undecided
    }

    /// Returns true if a document in doubt matches.
    pub(super) fn holds(&self, id: u32, document: &Document, tokens: &mut MessageTokens) -> bool {
        match &self.parts {
            Parts::Leaf(condition) => holds(condition, document, tokens),
            Parts::And(parts) => parts.iter().all(|part| part.holds(id, document, tokens)),
            Parts::Or(parts) => parts.iter().any(|part| part.holds(id, document, tokens)),
            Parts::Not(part) => !part.holds(id, document, tokens),
        }
    }
}

/// Combines parts that must all hold: `upper` is the set that all may match, `lower` the set that all
/// certainly match.
pub(super) fn all_of<'c>(upper: Bitmap, lower: Option<Bitmap>, parts: Vec<UndecidedPart<'c>>) -> Known<'c> {
    let open = (!parts.is_empty()).then_some(Open { lower, parts: Parts::And(parts) });
    Known { upper, open }
}

/// Combines parts of which at least one must hold: `upper` is the union of the sets that they may match,
/// `lower` of those that certainly matches.
pub(super) fn any_of<'c>(upper: Bitmap, lower: Option<Bitmap>, parts: Vec<UndecidedPart<'c>>) -> Known<'c> {
    let open = (!parts.is_empty()).then_some(Open { lower, parts: Parts::Or(parts) });
    Known { upper, open }
}
