//! One word of the message text, as opposed to the same word in other fields.
//!
//! In: a token pattern. Out: the documents that the index knows. The index of words does not tell in which
//! field a word is; a document whose other fields cannot contain it has it in its text. Only the others are
//! read.

use super::{Plan, WORTH_NARROWING, known::Known};
use crate::condition::Condition;
use lookup::{Bitmap, Column, Pattern, Phrase, ReadError};

impl Plan<'_> {
    pub(super) fn phrase<'c>(
        &self,
        condition: &'c Condition,
        phrase: &Phrase,
    ) -> Result<Known<'c>, ReadError> {
        // For wildcards the index of phrases knows no more than the index of words.
        let word = match phrase.words.as_slice() {
            [word @ (Pattern::Prefix(_) | Pattern::Wildcard(_))] => Some(word),
            _ => None,
        };
        if let Some(word) = word {
            let documents = self.view.words(word, self.cancel)?;
            return self.text_word(condition, word, documents);
        }
        let answer = self.view.phrase(phrase, self.cancel)?;
        match phrase.words.as_slice() {
            _ if answer.sure.is_none() => Ok(Known::exact(answer.documents)),
            [word] if answer.documents.count() >= WORTH_NARROWING => {
                let documents = self.view.words(word, self.cancel)?;
                self.text_word(condition, word, documents)
            }
            _ => Ok(Known::undecided(answer.documents, answer.sure, condition)),
        }
    }

    /// Finds the documents with a word in the text, of `documents` that have it somewhere.
    fn text_word<'c>(
        &self,
        condition: &'c Condition,
        word: &Pattern,
        documents: Bitmap,
    ) -> Result<Known<'c>, ReadError> {
        let Some(part) = within_value(word).filter(|_| documents.count() >= WORTH_NARROWING) else {
            return Ok(Known::undecided(documents, None, condition));
        };
        let mut elsewhere = self.none();
        for used in self.view.columns() {
            self.cancel.check()?;
            if matches!(used.column, Column::Host | Column::Program | Column::Named(_)) {
                elsewhere.or(&self.view.values(&used.column, &part, self.cancel)?);
            }
        }
        let mut sure = documents.clone();
        sure.and_not(&elsewhere);
        if sure == documents {
            return Ok(Known::exact(documents));
        }
        Ok(Known::undecided(documents, Some(sure), condition))
    }
}

/// Returns a pattern that matches every value with a token that matches `word`.
fn within_value(word: &Pattern) -> Option<Pattern> {
    let literal = |text: &[u8]| {
        let escaped = text.iter().flat_map(|byte| match byte {
            b'*' | b'?' | b'[' | b'\\' => vec![b'\\', *byte],
            byte => vec![*byte],
        });
        escaped.collect::<Vec<u8>>()
    };
    let inner = match word {
        Pattern::Exact(text) | Pattern::Prefix(text) => literal(text),
        Pattern::Wildcard(wild) => wild.clone(),
        _ => return None,
    };
    Some(Pattern::Wildcard([b"*", inner.as_slice(), b"*"].concat()))
}
