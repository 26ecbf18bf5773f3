//! Evaluates phrases, as far as an index without positions allows.
//!
//! In: phrases. Out: documents that contain one: exactly, when all its words are frequent and the templates decide;
//! otherwise the documents that have all its words, with the frequent ones in the right order, and for each
//! template whether the neighbours of the other words decide. Holds nothing. Limits: none.

use crate::terms::{
    adjacency::{Adjacency, Layout},
    templates::Templates,
};
use lookup::{Bitmap, CancelToken, Pattern, Phrase, PhraseAnswer, ReadError, SegmentView};

/// Consecutive numbers of frequent words, searched in templates; never empty once built by `whole` or `outline`.
pub(crate) struct Excerpt {
    numbers: Vec<u16>,
    /// True when words that are not frequent follow the last number.
    is_open: bool,
}

impl Excerpt {
    /// Returns the numbers of a phrase whose words are all frequent and must be consecutive: the template alone
    /// decides.
    /// `None` for any other phrase.
    pub(crate) fn whole(phrase: &Phrase, find: impl Fn(&[u8]) -> Option<u16>) -> Option<Excerpt> {
        if phrase.slop > 0 || phrase.words.is_empty() {
            return None;
        }
        let number = |word: &Pattern| match word {
            Pattern::Exact(text) | Pattern::CaseExact(text) => find(text),
            _ => None,
        };
        let numbers: Option<_> = phrase.words.iter().map(number).collect();
        Some(Excerpt { numbers: numbers?, is_open: false })
    }

    /// Returns the part that the template of every matching document contains: numbers of frequent words, and gaps for
    /// the other words. `None` when templates cannot narrow the search.
    pub(crate) fn outline(phrase: &Phrase, find: impl Fn(&[u8]) -> Option<u16>) -> Option<Excerpt> {
        if phrase.slop > 0 {
            return None;
        }
        let number = |word: &Pattern| match word {
            Pattern::Exact(text) => Some(find(text).unwrap_or(Templates::GAP)),
            _ => None,
        };
        let numbers: Option<_> = phrase.words.iter().map(number).collect();
        Some(Excerpt::new(numbers?)).filter(|excerpt| !excerpt.numbers.is_empty())
    }

    /// Joins neighbouring gaps and removes the last one, since no template ends with a gap.
    fn new(mut numbers: Vec<u16>) -> Excerpt {
        numbers.dedup_by(|one, before| *one == Templates::GAP && *before == Templates::GAP);
        let is_open = numbers.pop_if(|last| *last == Templates::GAP).is_some();
        Excerpt { numbers, is_open }
    }

    /// Returns true when a template contains it.
    pub(crate) fn is_in(&self, sequence: &[u16]) -> bool {
        self.ends(sequence).next().is_some()
    }

    /// Counts its occurrences in a template.
    fn count(&self, sequence: &[u16]) -> usize {
        self.ends(sequence).count()
    }

    /// Returns the rest of the template after each occurrence.
    fn ends<'a>(&self, sequence: &'a [u16]) -> impl Iterator<Item = &'a [u16]> {
        let first = self.numbers.first();
        let starts = sequence.iter().enumerate().filter(move |(_, number)| Some(*number) == first);
        let rests = starts.filter_map(|(at, _)| sequence[at..].strip_prefix(self.numbers.as_slice()));
        rests.filter(|rest| !self.is_open || rest.first().is_none_or(|next| *next == Templates::GAP))
    }
}

/// Returns the documents that have every word of a phrase. If its outline was searched, `documents` are those that
/// have the outline, and `find` tells which words are in it.
pub(crate) fn candidates(
    view: &dyn SegmentView,
    phrase: &Phrase,
    outlined: Option<Bitmap>,
    find: impl Fn(&[u8]) -> bool,
    cancel: &CancelToken,
) -> Result<PhraseAnswer, ReadError> {
    let is_outlined = outlined.is_some();
    let is_known = |word: &Pattern| match word {
        Pattern::Any => true,
        Pattern::Exact(text) => is_outlined && find(text),
        _ => false,
    };
    let documents = outlined.unwrap_or_else(|| Bitmap::all(view.len()));
    let words = phrase.words.iter().filter(|word| !is_known(word));
    let documents = with_words(documents, words, |word| view.words(word, cancel))?;
    Ok(PhraseAnswer { sure: (!documents.is_empty()).then(|| Bitmap::none(view.len())), documents })
}

/// Keeps the documents that contain every one of the words; stops early once none is left.
pub(crate) fn with_words<'p>(
    mut documents: Bitmap,
    words: impl Iterator<Item = &'p Pattern>,
    find: impl Fn(&Pattern) -> Result<Bitmap, ReadError>,
) -> Result<Bitmap, ReadError> {
    for word in words {
        if documents.is_empty() {
            break;
        }
        documents.and(&find(word)?);
    }
    Ok(documents)
}

/// A template's answer for a message with all words of a phrase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// It does not contain the phrase.
    No,
    /// It contains the phrase.
    Yes,
    /// It must be read.
    Perhaps,
}

/// A word that is not frequent, with its neighbours in the messages.
struct Other {
    /// The word and those beside it.
    near: Excerpt,
    /// Each pair of neighbours in a text, and whether it fits the phrase.
    found: Vec<(Adjacency, bool)>,
    /// True when it is in name-value pairs as well.
    is_in_values: bool,
}

impl Other {
    /// Makes a word between these in the phrase; `None` where the phrase begins or ends.
    fn new(left: Option<u16>, right: Option<u16>, found: &[Adjacency]) -> Other {
        let fits = |wanted: Option<u16>, is: u16| wanted.is_none_or(|wanted| wanted == is);
        let is_wanted = |one: Adjacency| fits(left, one.left()) && fits(right, one.right());
        let in_texts = found.iter().filter(|one| **one != Adjacency::IN_VALUE);
        Other {
            near: Excerpt::new(left.into_iter().chain([Templates::GAP]).chain(right).collect()),
            found: in_texts.map(|one| (*one, is_wanted(*one))).collect(),
            is_in_values: found.contains(&Adjacency::IN_VALUE),
        }
    }

    /// Returns the verdict on a template, given the number of positions where the phrase may be.
    fn verdict(&self, sequence: &[u16], layout: Layout, phrases: usize) -> Verdict {
        let (mut wanted, mut elsewhere) = (false, self.is_in_values && layout.has_values());
        each_gap(sequence, layout, |gap, is_tail| {
            let is_loose = if is_tail { layout.has_long_tail() } else { layout.is_loose() };
            let fits = |is: u16, edge: u16| is == edge || is_loose && is == Adjacency::OTHER;
            for (one, is_wanted) in &self.found {
                // The tail's first word is followed by others; its right edge counts as one anyway.
                let may_be = fits(one.left(), gap.left()) && fits(one.right(), gap.right());
                wanted |= may_be && *is_wanted;
                elsewhere |= may_be && !*is_wanted;
            }
        });
        match (wanted, elsewhere) {
            (false, _) => Verdict::No,
            (true, false) if self.near.count(sequence) == phrases => Verdict::Yes,
            (true, _) => Verdict::Perhaps,
        }
    }
}

/// Calls `visit` with the words on both sides of each gap of a template, and whether it is after the last one.
fn each_gap(sequence: &[u16], layout: Layout, mut visit: impl FnMut(Adjacency, bool)) {
    let at = |index: Option<usize>| {
        index.and_then(|index| sequence.get(index)).copied().unwrap_or(Adjacency::OTHER)
    };
    for index in (0..sequence.len()).filter(|index| sequence[*index] == Templates::GAP) {
        visit(Adjacency::new(at(index.checked_sub(1)), at(Some(index + 1))), false);
    }
    if layout.has_tail() {
        visit(Adjacency::new(at(sequence.len().checked_sub(1)), Adjacency::OTHER), true);
    }
}

/// Judges templates for a phrase of frequent and other words.
pub(crate) struct Judge {
    whole: Excerpt,
    others: Vec<Other>,
    /// True when every other word is between frequent ones, and its neighbours are known.
    is_complete: bool,
}

impl Judge {
    /// Makes a judge. `find` returns the number of a frequent word, `beside` the neighbours of another one. `None`
    /// when templates do not help.
    pub(crate) fn new<E>(
        phrase: &Phrase,
        find: impl Fn(&[u8]) -> Option<u16>,
        mut beside: impl FnMut(&[u8]) -> Result<Option<Vec<Adjacency>>, E>,
    ) -> Result<Option<Judge>, E> {
        let Some(whole) = Excerpt::outline(phrase, &find) else { return Ok(None) };
        let exact = phrase.words.iter().filter_map(|word| match word {
            Pattern::Exact(word) => Some((word.as_slice(), find(word))),
            _ => None,
        });
        let words: Vec<_> = exact.collect();
        let mut judge = Judge { whole, others: Vec::new(), is_complete: true };
        for (at, (word, _)) in words.iter().enumerate().filter(|(_, (_, number))| number.is_none()) {
            let left = at.checked_sub(1).map(|before| words[before].1);
            let right = words.get(at + 1).map(|(_, number)| *number);
            let is_alone = left != Some(None) && right != Some(None);
            match if is_alone { beside(word)? } else { None } {
                Some(found) => judge.others.push(Other::new(left.flatten(), right.flatten(), &found)),
                None => judge.is_complete = false,
            }
        }
        Ok(Some(judge))
    }

    /// Returns a template's verdict on messages that have all of the phrase's words.
    pub(crate) fn verdict(&self, sequence: &[u16], layout: Layout) -> Verdict {
        let phrases = self.whole.count(sequence);
        if phrases == 0 {
            return Verdict::No;
        }
        // Two words may be at two positions that look alike.
        let is_one = phrases == 1 || self.others.len() == 1;
        let mut verdict = if self.is_complete && is_one { Verdict::Yes } else { Verdict::Perhaps };
        for other in &self.others {
            match other.verdict(sequence, layout, phrases) {
                Verdict::No => return Verdict::No,
                Verdict::Perhaps => verdict = Verdict::Perhaps,
                Verdict::Yes => {}
            }
        }
        verdict
    }
}

#[cfg(test)]
mod tests;
