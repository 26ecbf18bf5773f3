//! Highlights of a row: the words of its text that the query searches for.
//!
//! In: a condition and a text. Out: byte ranges, ascending, without overlap. Negated words are not marked.
//! Limits: [`RANGES_MAX`] per text.

use crate::{
    condition::{Condition, matcher::phrase},
    language::words,
};
use lookup::{Pattern, Phrase, tokens::scripts};
use memchr::memmem;
use std::ops::Range;

/// Most ranges of one text: more highlights would not help a reader.
const RANGES_MAX: usize = 500;

pub(crate) fn ranges(condition: &Condition, text: &[u8]) -> Vec<Range<usize>> {
    let mut marker = Marker { text, lowered: Vec::new(), tokens: None, found: Vec::new() };
    marker.mark(condition);
    let mut found = marker.found;
    found.retain(|range| !range.is_empty());
    found.sort_unstable_by_key(|range| (range.start, range.end));
    let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match apart.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => apart.push(range),
        }
    }
    apart
}

/// Converts byte ranges to (start, length) in UTF-16 units of the text as it is shown, with damaged bytes replaced.
pub fn utf16_ranges(text: &[u8], ranges: &[Range<usize>]) -> Vec<(usize, usize)> {
    let (mut at, mut units) = (0, 0);
    let mut advance = |to: usize| {
        let part = text.get(at..to).unwrap_or_default();
        let count =
            if part.is_ascii() { part.len() } else { String::from_utf8_lossy(part).encode_utf16().count() };
        units += count;
        at = to;
        units
    };
    ranges
        .iter()
        .map(|range| {
            let start = advance(range.start);
            (start, advance(range.end) - start)
        })
        .collect()
}

struct Marker<'a> {
    text: &'a [u8],
    lowered: Vec<u8>,
    tokens: Option<Vec<Range<usize>>>,
    found: Vec<Range<usize>>,
}

impl Marker<'_> {
    fn mark(&mut self, condition: &Condition) {
        if self.found.len() >= RANGES_MAX {
            return;
        }
        match condition {
            Condition::And(members) | Condition::Or(members) => members.iter().for_each(|m| self.mark(m)),
            Condition::Word(pattern) => self.mark_word(pattern),
            Condition::Phrase(phrase) | Condition::CasePhrase { words: phrase, .. } => {
                self.mark_phrase(phrase)
            }
            Condition::TextRegex { regex, .. } => {
                let left = RANGES_MAX - self.found.len();
                self.found.extend(regex.find_iter(self.text).take(left).map(|found| found.range()));
            }
            Condition::TextHas { bytes, .. } => {
                let left = RANGES_MAX - self.found.len();
                let starts = memmem::find_iter(self.text, bytes).take(left);
                self.found.extend(starts.map(|start| start..start + bytes.len()));
            }
            _ => {}
        }
    }

    /// Takes the tokens of the text out; they must be put back.
    fn take_tokens(&mut self) -> Vec<Range<usize>> {
        self.tokens.take().unwrap_or_else(|| {
            self.lowered = self.text.to_ascii_lowercase();
            let mut tokens = Vec::new();
            words::tokens(self.text, &mut |range| tokens.push(range));
            tokens
        })
    }

    fn mark_word(&mut self, pattern: &Pattern) {
        let tokens = self.take_tokens();
        for token in &tokens {
            let text = &self.lowered[token.clone()];
            if self.found.len() < RANGES_MAX && words::matches(pattern, text, text) {
                let part = within(pattern, text);
                self.found.push(token.start + part.start..token.start + part.end);
            }
        }
        self.tokens = Some(tokens);
    }

    fn mark_phrase(&mut self, phrase: &Phrase) {
        if phrase.slop > 0 || phrase.words.len() == 1 {
            let words = phrase.words.iter().filter(|word| !matches!(word, Pattern::Any));
            words.for_each(|word| self.mark_word(word));
            return;
        }
        let tokens = self.take_tokens();
        let fits = |index: usize, pattern: &Pattern| {
            let token = &self.lowered[tokens[index].clone()];
            words::matches(pattern, token, token)
        };
        let length = phrase.words.len();
        let runs = phrase::runs(phrase, tokens.len(), &fits).take(RANGES_MAX);
        let found: Vec<_> = runs.map(|first| tokens[first].start..tokens[first + length - 1].end).collect();
        self.found.extend(found);
        self.tokens = Some(tokens);
    }
}

/// Returns the part of a token that a pattern is about: of a token without blanks, which may be a whole sentence, what was
/// asked for, otherwise all of it.
fn within(pattern: &Pattern, token: &[u8]) -> Range<usize> {
    let asked = match pattern {
        Pattern::Wildcard(wild) => {
            let rest = wild.strip_prefix(b"*").unwrap_or(wild);
            rest.strip_suffix(b"*").unwrap_or(rest)
        }
        Pattern::Prefix(text) => text.as_slice(),
        _ => b"",
    };
    let is_unspaced = str::from_utf8(asked).is_ok_and(|text| text.chars().any(scripts::is_unspaced));
    let found = memmem::find(token, asked).filter(|_| is_unspaced);
    found.map_or(0..token.len(), |at| at..at + asked.len())
}

#[cfg(test)]
mod tests;
