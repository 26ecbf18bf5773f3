//! Phrases, as far as an index without positions knows them.
//!
//! In: phrases. Out: documents that hold one, exactly when all its words are frequent: then the templates tell; else
//! the documents that have all its words, the frequent ones where the phrase has them. Holds nothing. Limits: none.

use super::active::Templates;
use crate::{Bitmap, Pattern, Phrase, PhraseAnswer, ReadError, SegmentView, Watch};

/// The numbers of a phrase's words when all are frequent and must follow each other.
pub(crate) fn numbers(phrase: &Phrase, find: impl Fn(&[u8]) -> Option<u16>) -> Option<Vec<u16>> {
    if phrase.slop > 0 || phrase.words.is_empty() {
        return None;
    }
    let number = |word: &Pattern| match word {
        Pattern::Exact(text) | Pattern::CaseExact(text) => find(text),
        _ => None,
    };
    phrase.words.iter().map(number).collect()
}

/// What the template of every document that holds a phrase has in it: the numbers of its frequent words, and a gap where
/// other words stand before them. `None` when templates tell nothing of it.
pub(crate) fn outline(phrase: &Phrase, find: impl Fn(&[u8]) -> Option<u16>) -> Option<Vec<u16>> {
    if phrase.slop > 0 {
        return None;
    }
    let mut outline = Vec::new();
    for word in &phrase.words {
        let Pattern::Exact(text) = word else { return None };
        outline.push(find(text).unwrap_or(Templates::GAP));
    }
    outline.dedup_by(|one, before| *one == Templates::GAP && *before == Templates::GAP);
    // Templates end with their last frequent word.
    outline.pop_if(|last| *last == Templates::GAP);
    (!outline.is_empty()).then_some(outline)
}

/// Whether the words follow each other in a template.
pub(crate) fn is_in(numbers: &[u16], sequence: &[u16]) -> bool {
    let Some(first) = numbers.first() else { return true };
    sequence.iter().enumerate().any(|(at, number)| number == first && sequence[at..].starts_with(numbers))
}

/// Documents that have every word of a phrase; where its outline was looked for, `documents` that have that, and `find`
/// tells which words are in it.
pub(crate) fn candidates(
    view: &dyn SegmentView,
    phrase: &Phrase,
    outlined: Option<Bitmap>,
    find: impl Fn(&[u8]) -> bool,
    watch: &Watch,
) -> Result<PhraseAnswer, ReadError> {
    let is_outlined = outlined.is_some();
    let is_known = |word: &Pattern| match word {
        Pattern::Any => true,
        Pattern::Exact(text) => is_outlined && find(text),
        _ => false,
    };
    let mut documents = outlined.unwrap_or_else(|| Bitmap::all(view.len()));
    for word in phrase.words.iter().filter(|word| !is_known(word)) {
        if documents.is_empty() {
            break;
        }
        documents.and(&view.words(word, watch)?);
    }
    Ok(PhraseAnswer { exact: documents.is_empty(), documents })
}
