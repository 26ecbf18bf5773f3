//! The marks that every matching message bears: values, words or parts of texts without which a condition cannot hold.
//!
//! In: a condition. Out: a list of marks of which every matching message has at least one, or none when a message may
//! match without any. Many queries are asked of one message cheaply by looking up its marks instead of asking each.
//! Limits: [`MARKS_MAX`] marks a condition.

use crate::{
    condition::{Condition, ValueTest},
    language::words,
};
use lookup::{Column, Pattern};

/// Most marks of a condition: a longer list costs more to look up than the condition to evaluate.
const MARKS_MAX: usize = 8_192;
/// Shortest part of a text that is a mark: nearly every message has any two letters.
const PART_BYTES_MIN: usize = 3;

/// A property of a message, in lower case where it is text.
#[derive(Clone, PartialEq, Debug)]
pub enum RequiredMark {
    /// A value of the column, whole.
    Value(Column, Vec<u8>),
    /// A value of the column that reads as this number.
    Number(Column, f64),
    /// Bytes within a value of the column.
    ValuePart(Column, Vec<u8>),
    /// A value of the column, whichever.
    Present(Column),
    /// A token of the text, the host, the program or a name-value pair.
    Word(Vec<u8>),
    /// Bytes within the text, the host, the program or a name-value pair.
    Part(Vec<u8>),
}

impl RequiredMark {
    /// Ranks how few messages have the mark, as far as its kind tells.
    fn rarity(&self) -> usize {
        match self {
            RequiredMark::Present(column) if !matches!(column, Column::Named(_)) => 0,
            RequiredMark::Value(Column::Severity | Column::Facility | Column::Source, _) => 1,
            RequiredMark::Present(_) => 2,
            RequiredMark::Part(bytes) | RequiredMark::ValuePart(_, bytes) => 3 + bytes.len().min(12),
            RequiredMark::Number(..) => 7,
            RequiredMark::Word(bytes) => 5 + bytes.len().min(16),
            RequiredMark::Value(_, bytes) => 6 + bytes.len().min(16),
        }
    }
}

/// Returns marks of which every matching message has at least one; an empty list when none matches.
pub(crate) fn of(condition: &Condition) -> Option<Vec<RequiredMark>> {
    let marks = match condition {
        Condition::Never => Vec::new(),
        Condition::And(members) => members.iter().filter_map(of).max_by_key(|marks| rarity(marks))?,
        Condition::Or(members) => members.iter().map(of).collect::<Option<Vec<_>>>()?.concat(),
        Condition::Word(pattern) => vec![of_word(pattern)?],
        Condition::Phrase(phrase) => rarest(phrase.words.iter().filter_map(of_word))?,
        Condition::CasePhrase { words, .. } => rarest(words.words.iter().filter_map(of_word))?,
        Condition::TextRegex { tokens, .. } | Condition::TextHas { tokens, .. } => {
            rarest(tokens.iter().filter_map(of_word))?
        }
        Condition::Value(column, test) => vec![of_value(column, test)],
        Condition::All
        | Condition::Not(_)
        | Condition::Values(..)
        | Condition::RawRegex(_)
        | Condition::RawHas(_)
        | Condition::Received(..)
        | Condition::Event(..)
        | Condition::Skew(..) => return None,
    };
    (marks.len() <= MARKS_MAX && rarity(&marks) > 0).then_some(marks)
}

/// The rarity of the most common one of several marks.
fn rarity(marks: &[RequiredMark]) -> usize {
    marks.iter().map(RequiredMark::rarity).min().unwrap_or(usize::MAX)
}

fn rarest(marks: impl Iterator<Item = RequiredMark>) -> Option<Vec<RequiredMark>> {
    marks.max_by_key(RequiredMark::rarity).map(|mark| vec![mark])
}

fn of_word(pattern: &Pattern) -> Option<RequiredMark> {
    match pattern {
        Pattern::Exact(word) => Some(RequiredMark::Word(word.clone())),
        Pattern::Prefix(part) => (part.len() >= PART_BYTES_MIN).then(|| RequiredMark::Part(part.clone())),
        Pattern::Wildcard(wild) => longest_part(wild).map(RequiredMark::Part),
        _ => None,
    }
}

fn of_value(column: &Column, test: &ValueTest) -> RequiredMark {
    let column = column.clone();
    let part = |bytes: Option<Vec<u8>>, column: Column| match bytes {
        Some(bytes) => RequiredMark::ValuePart(column, bytes),
        None => RequiredMark::Present(column),
    };
    match test {
        ValueTest::Pattern(Pattern::Exact(text)) => RequiredMark::Value(column, text.clone()),
        ValueTest::Pattern(Pattern::CaseExact(text)) => {
            RequiredMark::Value(column, text.to_ascii_lowercase())
        }
        ValueTest::Pattern(Pattern::Prefix(text)) => {
            part((text.len() >= PART_BYTES_MIN).then(|| text.clone()), column)
        }
        ValueTest::Pattern(Pattern::Wildcard(wild)) => part(longest_part(wild), column),
        ValueTest::Pattern(Pattern::Number(number)) => RequiredMark::Number(column, *number),
        ValueTest::Pattern(_) | ValueTest::Regex(_) => RequiredMark::Present(column),
    }
}

/// Returns the longest run without wildcards.
fn longest_part(wild: &[u8]) -> Option<Vec<u8>> {
    let (mut longest, mut part) = (Vec::new(), Vec::new());
    let mut bytes = wild.iter();
    loop {
        let next = bytes.next();
        match next {
            Some(b'\\') => part.extend(bytes.next()),
            Some(byte) if !matches!(byte, b'*' | b'?' | b'[') => part.push(*byte),
            _ => {
                if part.len() > longest.len() {
                    longest = std::mem::take(&mut part);
                }
                part.clear();
                // One of several characters is none that must be there.
                if next == Some(&b'[') {
                    bytes.find(|byte| **byte == b']');
                }
            }
        }
        if next.is_none() {
            return (longest.len() >= PART_BYTES_MIN).then_some(longest);
        }
    }
}

/// Returns the number that a value reads as, for comparison with [`RequiredMark::Number`].
pub fn number_of(value: &[u8]) -> Option<f64> {
    words::number(value)
}

#[cfg(test)]
mod tests;
