//! Clauses on the message text and on the frame as received.
//!
//! In: a clause. Out: a condition on tokens where tokens decide, on bytes where they do not.

use super::{ClauseContext, Compiler, expression, literals, network::network};
use crate::{
    condition::Condition,
    language::{
        error::{Hint, QueryError},
        tree::{Glyph, Test, Text},
        words,
    },
};
use lookup::{Pattern, Phrase};

/// Most words of a phrase: each costs a scan of the candidates' positions.
const PHRASE_WORDS_MAX: usize = 64;

impl Compiler<'_> {
    /// A clause without field.
    pub(super) fn everywhere(
        &mut self,
        asked: &ClauseContext<'_>,
        test: &Test,
    ) -> Result<Condition, QueryError> {
        let condition = self.message(asked, test)?;
        if let Test::Term(text) = test
            && text.as_plain().is_some_and(|text| network(&text).is_some())
        {
            let message = "a network is matched in fields, for instance peer:10.0.0.0/8".to_owned();
            let length = asked.place.end - asked.place.start;
            self.hints.push(Hint { position: asked.place.start, length, message });
        }
        Ok(match condition {
            // One word is searched in all text fields; several words must be consecutive in the message.
            Condition::Phrase(phrase) if phrase.words.len() == 1 => {
                phrase.words.into_iter().next().map_or(Condition::All, Condition::Word)
            }
            other => other,
        })
    }

    /// A clause on the message text.
    pub(super) fn message(
        &mut self,
        asked: &ClauseContext<'_>,
        test: &Test,
    ) -> Result<Condition, QueryError> {
        match test {
            Test::Term(text) => self.words(asked, text, 0),
            Test::Phrase(text, slop) => self.words(asked, text, slop.unwrap_or(0)),
            Test::Fuzzy(text, distance) => {
                let mut words = text.as_plain().map(|text| words::plain_words(&text)).unwrap_or_default();
                let (Some(word), true) = (words.pop(), words.is_empty()) else {
                    let remedy = "leave out the ~, or ask for each word: a~ AND b~";
                    return Err(asked.error("only a single word can be fuzzy", remedy));
                };
                let distance = edits(distance, word.len());
                let fuzzy = Pattern::Fuzzy { text: word, distance };
                Ok(Condition::Phrase(Phrase { words: vec![fuzzy], slop: 0 }))
            }
            Test::Regex { pattern, case } => Ok(Condition::TextRegex {
                regex: self.regex(asked, pattern, *case)?,
                tokens: literals::of_regex(&expression(pattern), *case),
            }),
            Test::Range { .. } | Test::Compare(..) => {
                let word = self.value_range(asked, test)?;
                Ok(Condition::Phrase(Phrase { words: vec![word], slop: 0 }))
            }
            Test::Exact(text) => self.bytes(asked, &text.text),
            Test::CaseExact(text) => {
                let mut exact = Vec::new();
                let bytes = text.text.as_bytes();
                words::tokens(bytes, &mut |range| exact.push(bytes[range].to_vec()));
                if exact.is_empty() {
                    return self.bytes(asked, &text.text);
                }
                let lower = |word: &Vec<u8>| Pattern::Exact(word.to_ascii_lowercase());
                let phrase = Phrase { words: exact.iter().map(lower).collect(), slop: 0 };
                Ok(Condition::CasePhrase { words: phrase, exact })
            }
            Test::Exists(_) => Ok(Condition::All),
        }
    }

    /// A clause on the frame as received.
    pub(super) fn raw(&mut self, asked: &ClauseContext<'_>, test: &Test) -> Result<Condition, QueryError> {
        let text = match test {
            Test::Regex { pattern, case } => {
                return Ok(Condition::RawRegex(self.regex(asked, pattern, *case)?));
            }
            Test::Term(text) => text.as_plain(),
            Test::Phrase(text, None) => Some(text.shown()),
            Test::Exact(text) | Test::CaseExact(text) => Some(text.text.clone()),
            _ => None,
        };
        match text {
            Some(text) if !text.is_empty() => Ok(Condition::RawHas(text.into_bytes())),
            _ => Err(asked.error(
                "raw takes an exact text or a regular expression",
                "write raw:\"exact text\" or raw:/expression/",
            )),
        }
    }

    fn words(&mut self, asked: &ClauseContext<'_>, text: &Text, slop: u32) -> Result<Condition, QueryError> {
        if text.glyphs.is_empty() {
            return Err(
                asked.error("nothing between the quotes", "write words between them, or * for everything")
            );
        }
        let phrase = words::patterns(&text.glyphs);
        if phrase.len() > PHRASE_WORDS_MAX {
            let message = format!("the phrase has more than {PHRASE_WORDS_MAX} words");
            return Err(asked.error(message, "write message:=\"...\" to search for an exact text"));
        }
        if phrase.iter().any(|word| !matches!(word, Pattern::Any)) {
            return Ok(Condition::Phrase(Phrase { words: phrase, slop }));
        }
        // Neither letters nor digits, so no word: search for the signs themselves.
        let signs: String = text.glyphs.iter().filter_map(|glyph| plain(*glyph)).collect();
        if signs.trim().is_empty() { Ok(Condition::All) } else { self.bytes(asked, signs.trim()) }
    }

    fn bytes(&self, asked: &ClauseContext<'_>, text: &str) -> Result<Condition, QueryError> {
        if text.is_empty() {
            return Err(asked.error("an empty text", "write the text to search for between the quotes"));
        }
        let tokens = literals::of_bytes(text.as_bytes());
        Ok(Condition::TextHas { bytes: text.as_bytes().to_vec(), tokens })
    }
}

fn plain(glyph: Glyph) -> Option<char> {
    match glyph {
        Glyph::Plain(c) => Some(c),
        Glyph::Run | Glyph::One => None,
    }
}

/// Returns the edit distance as written: none is 2; a value below 1 is Lucene's old similarity.
pub(super) fn edits(written: &str, length: usize) -> u8 {
    let value: f64 = written.parse().unwrap_or(2.0);
    if value > 0.0 && value < 1.0 {
        return (((1.0 - value) * length as f64) as u8).min(2);
    }
    value as u8
}
