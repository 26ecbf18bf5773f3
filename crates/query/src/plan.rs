//! Answers a condition from the index of one segment, and reads only what the index cannot decide.
//!
//! In: a condition and a segment. Out: the bitmap of documents that match, exactly. Each part of the condition
//! yields the documents that certainly match and those that may; the ones in between are read and tested one by
//! one, after all parts have narrowed them down. Limits: the cancel token.

mod column;
mod known;
mod skew;
mod together;
mod trace;
mod word;

use crate::{
    condition::{Condition, ValueTest, matcher::MessageTokens},
    language::words,
};
use known::{Known, Open, UndecidedPart};
use lookup::{Bitmap, CancelToken, Column, Pattern, ReadError, SegmentView, Together};
use std::cell::Cell;
use std::time::Instant;
pub(crate) use trace::{Trace, Used};

/// With fewer candidates than this, reading them is faster than narrowing them by another dictionary scan: reading
/// takes some microseconds each, the scan some ten milliseconds. Tests have few documents.
const WORTH_NARROWING: u64 = if cfg!(test) { 3 } else { 2_000 };
/// Most undecided parts that keep their bitmaps: 125 KB or twice that each in a segment of a million.
const PARTS_KEPT_MAX: usize = 64;

/// The documents of a segment that match, among `within` when given.
pub(crate) fn matching(
    view: &dyn SegmentView,
    condition: &Condition,
    within: Option<&Bitmap>,
    cancel: &CancelToken,
) -> Result<Bitmap, ReadError> {
    let Known { mut upper, open } = indexed(view, condition, within, cancel, None)?;
    let Some(open) = open else {
        return Ok(upper);
    };
    let undecided = open.undecided(&upper);
    let mut tokens = MessageTokens::default();
    let mut refuted = Vec::new();
    view.read(&mut undecided.iter(), cancel, &mut |id, document| {
        tokens.forget();
        if !open.holds(id, document, &mut tokens) {
            refuted.push(id);
        }
        true
    })?;
    refuted.iter().for_each(|id| upper.remove(*id));
    Ok(upper)
}

/// Returns the documents that would have to be read.
pub(crate) fn undecided(
    view: &dyn SegmentView,
    condition: &Condition,
    within: Option<&Bitmap>,
    cancel: &CancelToken,
    trace: &Trace,
) -> Result<Bitmap, ReadError> {
    let Known { upper, open } = indexed(view, condition, within, cancel, Some(trace))?;
    Ok(open.map_or_else(|| Bitmap::none(view.len()), |open| open.undecided(&upper)))
}

/// Returns what the index knows about the documents `within`, restricted to the view's boundary.
fn indexed<'c>(
    view: &dyn SegmentView,
    condition: &'c Condition,
    within: Option<&Bitmap>,
    cancel: &CancelToken,
    trace: Option<&Trace>,
) -> Result<Known<'c>, ReadError> {
    let plan = Plan { view, cancel, kept: Cell::new(0), trace };
    let mut known = plan.evaluate(condition, within)?;
    if let Some(within) = within {
        known.upper.and(within);
    }
    // Conditions become documents only here: documents outside the boundary are removed here, also for negations.
    if let Some(boundary) = view.boundary(cancel)? {
        known.upper.and(boundary);
    }
    Ok(known)
}

pub(super) struct Plan<'a> {
    view: &'a dyn SegmentView,
    cancel: &'a CancelToken,
    /// Number of undecided parts that keep their bitmaps.
    kept: Cell<usize>,
    /// Records the cost of each part, if the user asked for it.
    trace: Option<&'a Trace>,
}

impl Plan<'_> {
    /// Returns what the index knows. With `within`, the result is valid for those documents only.
    fn evaluate<'c>(
        &self,
        condition: &'c Condition,
        within: Option<&Bitmap>,
    ) -> Result<Known<'c>, ReadError> {
        self.cancel.check()?;
        let Some(trace) = self.trace else {
            return self.decide(condition, within);
        };
        let started = Instant::now();
        let known = self.decide(condition, within)?;
        let took = started.elapsed();
        trace.add(self.view, condition, within, &known, took, self.cancel)?;
        Ok(known)
    }

    fn decide<'c>(&self, condition: &'c Condition, within: Option<&Bitmap>) -> Result<Known<'c>, ReadError> {
        match condition {
            Condition::All => Ok(Known::exact(self.all())),
            Condition::Never => Ok(Known::exact(self.none())),
            Condition::And(members) => self.all_of(members, within),
            Condition::Or(members) => self.any_of(members, within),
            Condition::Not(inner) => Ok(self.evaluate(inner, within)?.opposite()),
            Condition::Word(pattern) => Ok(Known::exact(self.view.words(pattern, self.cancel)?)),
            Condition::Phrase(phrase) => self.phrase(condition, phrase),
            Condition::CasePhrase { words, .. } => {
                let answer = self.view.phrase(words, self.cancel)?;
                Ok(Known::undecided(answer.documents, None, condition))
            }
            Condition::Value(column, ValueTest::Pattern(pattern)) => {
                Ok(Known::exact(self.view.values(column, pattern, self.cancel)?))
            }
            Condition::Value(column, ValueTest::Regex(regex)) => {
                self.column_regex(condition, column, regex, within)
            }
            Condition::Values(names, test) => self.columns(condition, names, test, within),
            Condition::TextRegex { tokens, .. } | Condition::TextHas { tokens, .. } => {
                Ok(Known::undecided(self.narrowed(condition, tokens, within)?, None, condition))
            }
            Condition::RawRegex(_) | Condition::RawHas(_) => {
                Ok(Known::undecided(self.all(), None, condition))
            }
            Condition::Received(from, to) => {
                let mut found = self.none();
                found.add_range(self.view.received_between(*from, *to));
                Ok(Known::exact(found))
            }
            Condition::Event(from, to) => {
                Ok(Known::exact(self.view.event_between(*from, *to, self.cancel)?))
            }
            Condition::Skew(from, to) => self.skew(condition, *from, *to, within),
        }
    }

    /// Looks words up together, except for a trace, which needs the cost of each word.
    fn together<'c>(&self, words: impl FnOnce() -> Option<Together<'c>>) -> Option<Together<'c>> {
        if self.trace.is_some() { None } else { words() }
    }

    fn all(&self) -> Bitmap {
        Bitmap::all(self.view.len())
    }

    fn none(&self) -> Bitmap {
        Bitmap::none(self.view.len())
    }

    /// Evaluates an AND chain: each member narrows down what the next, more expensive one has to examine.
    fn all_of<'c>(&self, members: &'c [Condition], within: Option<&Bitmap>) -> Result<Known<'c>, ReadError> {
        let mut upper: Option<Bitmap> = within.cloned();
        // Documents that certainly match all undecided members; the decided ones are only in `upper`.
        let mut lower: Option<Bitmap> = None;
        let mut parts = Vec::new();
        let words = self.together(|| together::all_words(members));
        let mut words_ahead = words.as_ref();
        for member in members {
            if upper.as_ref().is_some_and(Bitmap::is_empty) {
                return Ok(Known::exact(self.none()));
            }
            let known = match words_ahead {
                _ if words.is_none() || !together::joins_all(member) => {
                    self.evaluate(member, upper.as_ref())?
                }
                Some(words) => {
                    words_ahead = None;
                    Known::exact(self.view.words_together(words, self.cancel)?)
                }
                None => continue,
            };
            if known.open.is_none() && upper.is_none() {
                upper = Some(known.upper);
                continue;
            }
            match &mut upper {
                Some(upper) => upper.and(&known.upper),
                None => upper = Some(known.upper.clone()),
            }
            if let Some(open) = known.open {
                let own = open.lower.clone().unwrap_or_else(|| self.none());
                match &mut lower {
                    Some(lower) => lower.and(&own),
                    None => lower = Some(own),
                }
                parts.push(self.part(known.upper, open, member));
            }
        }
        let upper = upper.unwrap_or_else(|| self.all());
        if let Some(lower) = &mut lower {
            lower.and(&upper);
        }
        Ok(known::all_of(upper, lower, parts))
    }

    fn any_of<'c>(&self, members: &'c [Condition], within: Option<&Bitmap>) -> Result<Known<'c>, ReadError> {
        let (mut upper, mut lower) = (self.none(), self.none());
        let mut parts = Vec::new();
        let words = self.together(|| together::any_words(members));
        if let Some(words) = &words {
            upper = self.view.words_together(words, self.cancel)?;
            lower = upper.clone();
        }
        let is_left = |member: &&Condition| words.is_none() || !matches!(member, Condition::Word(_));
        for member in members.iter().filter(is_left) {
            let known = self.evaluate(member, within)?;
            upper.or(&known.upper);
            match known.open {
                None => lower.or(&known.upper),
                Some(open) => {
                    if let Some(own) = &open.lower {
                        lower.or(own);
                    }
                    parts.push(self.part(known.upper, open, member));
                }
            }
        }
        Ok(known::any_of(upper, Some(lower), parts))
    }

    /// Makes an undecided member, with its bitmaps while the limit allows.
    fn part<'c>(&self, upper: Bitmap, open: Open<'c>, member: &'c Condition) -> UndecidedPart<'c> {
        if self.kept.get() == PARTS_KEPT_MAX {
            return UndecidedPart::forgotten(member);
        }
        self.kept.set(self.kept.get() + 1);
        UndecidedPart::kept(upper, open)
    }

    /// Returns the documents with all the tokens, if looking them up pays off.
    fn narrowed(
        &self,
        condition: &Condition,
        tokens: &[Pattern],
        within: Option<&Bitmap>,
    ) -> Result<Bitmap, ReadError> {
        let mut narrow = within.cloned().unwrap_or_else(|| self.all());
        for token in tokens {
            if narrow.count() < WORTH_NARROWING {
                break;
            }
            if let Some(trace) = self.trace {
                trace.add_word(self.view, condition, token, self.cancel)?;
            }
            narrow.and(&self.view.words(token, self.cancel)?);
        }
        Ok(narrow)
    }
}

/// Returns true if the column's name matches a pattern.
fn named(column: &Column, name: &Pattern) -> bool {
    let known = crate::language::fields::column_name(column).as_bytes();
    words::value_matches(name, known)
}
