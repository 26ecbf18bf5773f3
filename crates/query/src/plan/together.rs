//! Words of one chain, looked up together: a segment may know which messages have several of them.
//!
//! In: the members of a chain. Out: those that are words.

use crate::condition::Condition;
use lookup::{Pattern, Together};

/// Fewest words for which that pays off.
const WORDS_MIN: usize = 2;

/// Returns the words that all must hold, or must not, if looking them up together pays off.
pub(super) fn all_words(members: &[Condition]) -> Option<Together<'_>> {
    let mut words = Together::default();
    for member in members.iter().filter(|member| joins_all(member)) {
        match member {
            Condition::Not(inner) => words.none.extend(words_of(inner)),
            member => words.any.push(words_of(member)),
        }
    }
    let is_worth = !words.any.is_empty() && words.any.len() + words.none.len() >= WORDS_MIN;
    is_worth.then_some(words)
}

/// Returns words of which at least one must match, if looking them up together pays off.
pub(super) fn any_words(members: &[Condition]) -> Option<Together<'_>> {
    let is_word = |member: &&Condition| matches!(member, Condition::Word(_));
    let any: Vec<&Pattern> = members.iter().filter(is_word).flat_map(words_of).collect();
    (any.len() >= WORDS_MIN).then(|| Together { any: vec![any], none: Vec::new() })
}

/// Returns true if a member of an AND chain is looked up together with the chain's other words: it is a word, an OR
/// of words, or the negation of these. Patterns that scan the dictionary wait until others have narrowed the
/// documents.
pub(super) fn joins_all(member: &Condition) -> bool {
    let is_looked_up = |member: &Condition| {
        matches!(member, Condition::Word(Pattern::Exact(_) | Pattern::CaseExact(_) | Pattern::Prefix(_)))
    };
    match member {
        Condition::Not(inner) => match inner.as_ref() {
            Condition::Or(members) => members.iter().all(is_looked_up),
            inner => is_looked_up(inner),
        },
        Condition::Or(members) => members.iter().all(is_looked_up),
        member => is_looked_up(member),
    }
}

/// Returns the word of a member, or the words of which it needs one.
fn words_of(member: &Condition) -> Vec<&Pattern> {
    match member {
        Condition::Word(word) => vec![word],
        Condition::Or(members) => members.iter().flat_map(words_of).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
