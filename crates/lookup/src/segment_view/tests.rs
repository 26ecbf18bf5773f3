//! The default answers of the trait, on a list of texts.

use super::*;
use crate::pattern::Matcher;

/// Texts of words separated by spaces.
struct Texts(&'static [&'static str]);

impl SegmentView for Texts {
    fn len(&self) -> u32 {
        self.0.len() as u32
    }

    fn first_sequence(&self) -> u64 {
        0
    }

    fn received_range(&self) -> (i64, i64) {
        (0, 0)
    }

    fn received_between(&self, _from_us: i64, _to_us: i64) -> Range<u32> {
        0..0
    }

    fn received_edges(&self, _edges_us: &[i64]) -> Vec<u32> {
        Vec::new()
    }

    fn event_between(&self, _from_us: i64, _to_us: i64, _cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        Ok(Bitmap::none(self.len()))
    }

    fn event_times(&self, _documents: &Bitmap, _visit: &mut dyn FnMut(u32, i64)) -> Result<(), ReadError> {
        Ok(())
    }

    fn words(&self, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        cancel.check()?;
        let matcher = Matcher::new(pattern);
        let mut found = Bitmap::none(self.len());
        for (document, text) in (0..).zip(self.0) {
            if text.split(' ').any(|word| matcher.matches_token(word.as_bytes())) {
                found.add(document);
            }
        }
        Ok(found)
    }

    fn phrase(&self, _phrase: &Phrase, _cancel: &CancelToken) -> Result<PhraseAnswer, ReadError> {
        Ok(PhraseAnswer { documents: Bitmap::none(self.len()), sure: None })
    }

    fn values(&self, _column: &Column, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        self.words(pattern, cancel)
    }

    fn count_values(
        &self,
        _column: &Column,
        _documents: &Bitmap,
        _cancel: &CancelToken,
        _add: &mut dyn FnMut(&[u8], u64),
    ) -> Result<(), ReadError> {
        Ok(())
    }

    fn columns(&self) -> Vec<ColumnUse> {
        Vec::new()
    }

    fn read(
        &self,
        _documents: &mut dyn Iterator<Item = u32>,
        _cancel: &CancelToken,
        _visit: &mut dyn FnMut(u32, &Document) -> bool,
    ) -> Result<(), ReadError> {
        Ok(())
    }
}

const TEXTS: Texts = Texts(&["cat dog", "dog", "cat", "bird", ""]);

/// Checks the texts with a word of each list of `any` and none of `none`.
#[track_caller]
fn check(any: &[&[&str]], none: &[&str], want: &[u32]) {
    let pattern = |word: &&str| Pattern::Exact(word.as_bytes().to_vec());
    let any: Vec<Vec<Pattern>> = any.iter().map(|words| words.iter().map(pattern).collect()).collect();
    let none: Vec<Pattern> = none.iter().map(pattern).collect();
    let together = Together {
        any: any.iter().map(|words| words.iter().collect()).collect(),
        none: none.iter().collect(),
    };
    let found = TEXTS.words_together(&together, &CancelToken::unlimited()).expect("texts in memory");
    assert_eq!(found.iter().collect::<Vec<_>>(), want);
}

#[test]
fn words_are_joined() {
    check(&[], &[], &[0, 1, 2, 3, 4]);
    check(&[&["cat"]], &[], &[0, 2]);
    check(&[&["cat", "bird"]], &[], &[0, 2, 3]);
    check(&[&["cat"], &["dog"]], &[], &[0]);
    check(&[&["cow"], &["dog"]], &[], &[]);
    check(&[], &["cat", "bird"], &[1, 4]);
    check(&[&["cat"]], &["dog"], &[2]);
    check(&[&[]], &[], &[]);
}

#[test]
fn a_segment_without_answers_of_its_own_returns_none() {
    let unlimited = CancelToken::unlimited();
    assert!(!TEXTS.is_empty() && Texts(&[]).is_empty());
    assert!(matches!(TEXTS.word_use(&Pattern::Any, &unlimited), Ok(None)));
    assert!(matches!(TEXTS.read_cost(&Bitmap::all(5)), Ok(None)));
    assert!(matches!(TEXTS.boundary(&unlimited), Ok(None)));
}
