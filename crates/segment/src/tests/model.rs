//! The expected answers of a segment: a list of documents, scanned from start to end.

use lookup::{Bitmap, Column, Document, Pattern, Phrase, pattern::Matcher};
use message::{Facility, Severity};
use std::collections::BTreeMap;

/// The documents of a segment.
pub(super) struct Model {
    pub(super) documents: Vec<Document>,
}

impl Model {
    fn having(&self, test: impl Fn(&Document) -> bool) -> Bitmap {
        let mut found = Bitmap::none(self.documents.len() as u32);
        for (index, document) in self.documents.iter().enumerate() {
            if test(document) {
                found.add(index as u32);
            }
        }
        found
    }

    pub(super) fn words(&self, pattern: &Pattern) -> Bitmap {
        let matcher = Matcher::new(pattern);
        self.having(|document| {
            let values = document.values.iter().map(|(_, value, _)| value);
            let fields = [&document.text, &document.host, &document.program].into_iter().chain(values);
            fields.flat_map(|field| tokens(field)).any(|token| matcher.matches_token(&token))
        })
    }

    /// Documents whose text contains the phrase, without gaps.
    pub(super) fn phrase(&self, phrase: &Phrase) -> Bitmap {
        let matchers: Vec<Matcher> = phrase.words.iter().map(Matcher::new).collect();
        self.having(|document| {
            let tokens = tokens(&document.text);
            let fits =
                |run: &[Vec<u8>]| matchers.iter().zip(run).all(|(word, token)| word.matches_token(token));
            tokens.windows(matchers.len()).any(fits)
        })
    }

    pub(super) fn values(&self, column: &Column, pattern: &Pattern) -> Bitmap {
        self.having(|document| {
            let mut matcher = Matcher::new(pattern);
            values_of(document, column).iter().any(|value| matcher.matches_value(value))
        })
    }

    pub(super) fn counts(&self, column: &Column, among: &Bitmap) -> BTreeMap<Vec<u8>, u64> {
        let mut counts = BTreeMap::new();
        for document in among.iter() {
            for value in values_of(&self.documents[document as usize], column) {
                *counts.entry(value).or_default() += 1;
            }
        }
        counts
    }

    /// Returns the value of each document; none when one has several.
    pub(super) fn only_values(&self, column: &Column, among: &Bitmap) -> Option<Vec<Option<Vec<u8>>>> {
        let values = among.iter().map(|document| values_of(&self.documents[document as usize], column));
        values.map(|mut values| (values.len() < 2).then(|| values.pop())).collect()
    }

    pub(super) fn event_between(&self, from_us: i64, to_us: i64) -> Bitmap {
        self.having(|document| (from_us..to_us).contains(&document.event.unix_us))
    }

    pub(super) fn received_before(&self, us: i64) -> u32 {
        self.documents.iter().filter(|document| document.received_us < us).count() as u32
    }
}

/// Tokens of a text, one byte at a time; of what is not ASCII, these tests have letters with cases and `テ`.
pub(super) fn tokens(text: &[u8]) -> Vec<Vec<u8>> {
    let apart = String::from_utf8_lossy(text).replace('\u{30c6}', "\n\u{30c6}\n");
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte) || *byte >= 0x80;
    let runs = apart.as_bytes().split(|byte| !inside(byte));
    let trimmed = runs.map(|run| {
        let end = |byte: &u8| b".-".contains(byte);
        let start = run.iter().take_while(|byte| end(byte)).count();
        let tail = run[start..].iter().rev().take_while(|byte| end(byte)).count();
        run[start..run.len() - tail].to_ascii_lowercase()
    });
    trimmed.filter(|token| !token.is_empty()).collect()
}

/// The values that a document has in a column.
fn values_of(document: &Document, column: &Column) -> Vec<Vec<u8>> {
    let one = |value: &[u8]| if value.is_empty() { Vec::new() } else { vec![value.to_vec()] };
    match column {
        Column::Host => one(&document.host),
        Column::Program => one(&document.program),
        Column::Pid => one(&document.pid),
        Column::Msgid => one(&document.msgid),
        Column::Source => one(document.source.as_bytes()),
        Column::Peer => one(document.peer.as_bytes()),
        Column::Facility => {
            let number = document.pri >> 3;
            one(Facility(number).name().map_or_else(|| number.to_string(), str::to_owned).as_bytes())
        }
        Column::Severity => one(Severity((document.pri & 7) as u8).name().as_bytes()),
        Column::Tags => document.tags.iter().map(|tag| tag.as_bytes().to_vec()).collect(),
        Column::Named(name) => {
            let values = document.values.iter().filter(|(known, ..)| known == name);
            values.map(|(_, value, _)| value.clone()).collect()
        }
    }
}
