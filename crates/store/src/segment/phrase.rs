//! Phrases, as far as an index without positions knows them.
//!
//! In: phrases. Out: documents that hold one, exactly when all its words are frequent: then the templates tell; else
//! the documents that have all its words. Holds nothing. Limits: none.

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

/// Whether the words follow each other in a template.
pub(crate) fn is_in(numbers: &[u16], sequence: &[u16]) -> bool {
    debug_assert!(!numbers.contains(&Templates::GAP), "a gap is no word");
    let Some(first) = numbers.first() else { return true };
    sequence.iter().enumerate().any(|(at, number)| number == first && sequence[at..].starts_with(numbers))
}

/// Documents that have every word of a phrase.
pub(crate) fn candidates(
    view: &dyn SegmentView,
    phrase: &Phrase,
    watch: &Watch,
) -> Result<PhraseAnswer, ReadError> {
    let mut documents = Bitmap::all(view.len());
    for word in phrase.words.iter().filter(|word| !matches!(word, Pattern::Any)) {
        if documents.is_empty() {
            break;
        }
        documents.and(&view.words(word, watch)?);
    }
    Ok(PhraseAnswer { exact: documents.is_empty(), documents })
}
