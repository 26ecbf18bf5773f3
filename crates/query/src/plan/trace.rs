//! The cost of each part of a query, for users who ask why it is slow.
//!
//! In: the parts as the plan decides them. Out: for each, by its address, the queries to the index and their
//! results.
//! Holds: a row per part. Limits: counts words once more, which the search itself does not do.

use super::known::Known;
use crate::{
    condition::{Condition, ValueTest},
    language::words,
};
use lookup::{Bitmap, CancelToken, Column, Pattern, ReadError, SegmentView};
use std::{cell::RefCell, collections::HashMap, ptr, time::Duration};

/// The cost of a part of a condition in some segments, and the answer of the index.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Used {
    /// Segments in which it was evaluated; in others the earlier parts were sufficient.
    pub(crate) segments: u64,
    /// Distinct words, or values of a column, that match; none when the index does not know.
    pub(crate) words: Option<u64>,
    /// Entries of the words' lists.
    pub(crate) postings: Option<u64>,
    /// Documents that may match, of those considered.
    pub(crate) documents: u64,
    /// Documents among them that the index cannot decide.
    pub(crate) undecided: u64,
    /// Time in the index, including nested parts.
    pub(crate) took: Duration,
}

impl Used {
    /// Adds the figures of other segments.
    pub(crate) fn merge(&mut self, other: Used) {
        self.segments += other.segments;
        self.documents += other.documents;
        self.undecided += other.undecided;
        self.took += other.took;
        self.words = sum(self.words, other.words);
        self.postings = sum(self.postings, other.postings);
    }

    fn add_words(&mut self, words: u64, postings: Option<u64>) {
        self.words = sum(self.words, Some(words));
        self.postings = sum(self.postings, postings);
    }
}

fn sum(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one + other),
        (known, None) | (None, known) => known,
    }
}

/// The costs of one condition's parts in one segment.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    parts: RefCell<HashMap<usize, Used>>,
}

impl Trace {
    /// Returns the cost of a part; none when the plan never evaluated it.
    pub(crate) fn of(&self, part: &Condition) -> Option<Used> {
        self.parts.borrow().get(&address(part)).copied()
    }

    /// Records the index's answer for a part.
    pub(super) fn add(
        &self,
        view: &dyn SegmentView,
        part: &Condition,
        within: Option<&Bitmap>,
        known: &Known<'_>,
        took: Duration,
        cancel: &CancelToken,
    ) -> Result<(), ReadError> {
        let mut upper = known.upper.clone();
        if let Some(within) = within {
            upper.and(within);
        }
        let undecided = known.open.as_ref().map_or(0, |open| open.undecided(&upper).count());
        match part {
            Condition::Word(word) => self.add_word(view, part, word, cancel)?,
            Condition::Phrase(phrase) | Condition::CasePhrase { words: phrase, .. } => {
                let words = phrase.words.iter().filter(|word| !matches!(word, Pattern::Any));
                words.into_iter().try_for_each(|word| self.add_word(view, part, word, cancel))?;
            }
            Condition::Value(column, test) => self.add_values(view, part, column, test, &upper, cancel)?,
            _ => {}
        }
        let mut parts = self.parts.borrow_mut();
        let used = parts.entry(address(part)).or_default();
        used.segments = 1;
        used.documents += upper.count();
        used.undecided += undecided;
        used.took += took;
        Ok(())
    }

    /// Records a word that is looked up for a part.
    pub(super) fn add_word(
        &self,
        view: &dyn SegmentView,
        part: &Condition,
        word: &Pattern,
        cancel: &CancelToken,
    ) -> Result<(), ReadError> {
        if let Some(used) = view.word_use(word, cancel)? {
            let mut parts = self.parts.borrow_mut();
            parts.entry(address(part)).or_default().add_words(used.words, Some(used.postings));
        }
        Ok(())
    }

    /// Records how many values of a column match.
    fn add_values(
        &self,
        view: &dyn SegmentView,
        part: &Condition,
        column: &Column,
        test: &ValueTest,
        found: &Bitmap,
        cancel: &CancelToken,
    ) -> Result<(), ReadError> {
        let mut distinct = 0;
        view.count_values(column, found, cancel, &mut |value, _| {
            distinct += u64::from(match test {
                ValueTest::Pattern(pattern) => words::value_matches(pattern, value),
                ValueTest::Regex(regex) => regex.is_match(value),
            });
        })?;
        self.parts.borrow_mut().entry(address(part)).or_default().add_words(distinct, None);
        Ok(())
    }
}

/// Identifies a part by its address: a condition does not move while a query is evaluated.
fn address(part: &Condition) -> usize {
    ptr::from_ref(part) as usize
}

#[cfg(test)]
mod tests;
