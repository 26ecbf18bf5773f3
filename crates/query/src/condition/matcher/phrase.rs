//! Consecutive words, with Lucene's slop.
//!
//! In: a phrase and a function that tests whether the token at a position fits a word. Out: whether it matches, or
//! the positions.
//! Limits: [`EVENTS_MAX`] positions are examined for a phrase with slop.

use lookup::{Pattern, Phrase};

/// Most (position, word) pairs of one message for a phrase with slop; messages rarely have a tenth of that.
const EVENTS_MAX: usize = 10_000;

/// Returns true if a text of `count` tokens contains the phrase.
pub(crate) fn holds(phrase: &Phrase, count: usize, fits: impl Fn(usize, &Pattern) -> bool) -> bool {
    if phrase.slop == 0 { runs(phrase, count, &fits).next().is_some() } else { loose(phrase, count, &fits) }
}

/// Returns the first positions of all runs of tokens that match the phrase without moves.
pub(crate) fn runs<'a>(
    phrase: &'a Phrase,
    count: usize,
    fits: &'a impl Fn(usize, &Pattern) -> bool,
) -> impl Iterator<Item = usize> + 'a {
    let length = phrase.words.len();
    let starts = if length == 0 { 0 } else { (count + 1).saturating_sub(length) };
    (0..starts).filter(move |start| phrase.words.iter().enumerate().all(|(i, word)| fits(start + i, word)))
}

/// A word at position p that should be the i-th puts the start of the phrase at p - i. The phrase matches if some
/// choice of positions spreads these starts over at most `slop`; so a transposition costs two.
fn loose(phrase: &Phrase, count: usize, fits: &impl Fn(usize, &Pattern) -> bool) -> bool {
    let words: Vec<(usize, &Pattern)> =
        phrase.words.iter().enumerate().filter(|(_, word)| !matches!(word, Pattern::Any)).collect();
    let mut events: Vec<(i64, usize, usize)> = Vec::new();
    for (slot, (index, word)) in words.iter().enumerate() {
        for position in (0..count).filter(|position| fits(*position, word)) {
            if events.len() < EVENTS_MAX {
                events.push((position as i64 - *index as i64, slot, position));
            }
        }
    }
    events.sort_unstable();
    let mut end = 0;
    for start in 0..events.len() {
        while events.get(end).is_some_and(|event| event.0 - events[start].0 <= i64::from(phrase.slop)) {
            end += 1;
        }
        if assign(&events[start..end], words.len()) {
            return true;
        }
    }
    false
}

/// Returns true if each word can have a position of its own (a matching by augmenting paths).
fn assign(events: &[(i64, usize, usize)], slots: usize) -> bool {
    let mut owners: Vec<(usize, usize)> = Vec::new();
    (0..slots).all(|slot| augment(events, slot, &mut owners, &mut Vec::new()))
}

/// Finds a position for a word, moving the words that hold one if they can go elsewhere.
fn augment(
    events: &[(i64, usize, usize)],
    slot: usize,
    owners: &mut Vec<(usize, usize)>,
    tried: &mut Vec<usize>,
) -> bool {
    for (_, _, position) in events.iter().filter(|event| event.1 == slot) {
        if tried.contains(position) {
            continue;
        }
        tried.push(*position);
        match owners.iter().position(|(taken, _)| taken == position) {
            None => {
                owners.push((*position, slot));
                return true;
            }
            Some(index) => {
                let owner = owners[index].1;
                if augment(events, owner, owners, tried) {
                    // The previous owner moved elsewhere and left an entry of its own; this one is ours now.
                    if let Some(entry) = owners.iter_mut().find(|entry| entry.0 == *position) {
                        entry.1 = slot;
                    }
                    return true;
                }
            }
        }
    }
    false
}
