//! A segment in memory that answers by examining every document; for tests.
//!
//! In: documents. Out: the answers of a segment. Holds: the documents.

use crate::condition::{
    Condition, ValueTest,
    matcher::{self, MessageTokens},
};
use lookup::{
    Bitmap, CancelToken, Column, ColumnUse, Document, Pattern, Phrase, PhraseAnswer, ReadError, SegmentView,
    Snapshot, WordUse,
};
use message::{Stamp, ValueKind, ZoneQuality};
use std::{collections::BTreeMap, ops::Range, sync::Arc};

pub(crate) struct NaiveView {
    pub(crate) documents: Vec<Document>,
    pub(crate) first: u64,
    /// True to answer phrases with candidates only, as a sealed segment may.
    pub(crate) coarse: bool,
}

/// A message; seconds of receipt and of the sender's clock count from 2026-01-01.
pub(crate) fn document(second: i64, host: &str, program: &str, text: &str) -> Document {
    let us = START_US + second * 1_000_000;
    Document {
        raw: format!("<{}>1 {host} {program}: {text}", second % 24 * 8 + second % 8).into_bytes(),
        received_us: us,
        event: Stamp { unix_us: us - second % 7 * 1_000_000, offset_s: 0, quality: ZoneQuality::Known },
        pri: (second % 24 * 8 + second % 8) as u16,
        host: host.into(),
        program: program.into(),
        text: text.into(),
        source: "s_net".to_owned(),
        peer: format!("10.0.0.{}", second % 256),
        ..Document::default()
    }
}

pub(crate) const START_US: i64 = 1_767_225_600_000_000;

pub(crate) fn with_value(mut document: Document, name: &str, value: &str) -> Document {
    document.values.push((name.to_owned(), value.into(), ValueKind::String));
    document
}

/// Documents as segments of a few; in every other one phrases are only candidates.
pub(crate) fn snapshot(documents: Vec<Document>, a_segment: usize) -> Snapshot {
    let mut segments: Vec<Arc<dyn SegmentView>> = Vec::new();
    let sequence = documents.len() as u64;
    for (index, chunk) in documents.chunks(a_segment.max(1)).enumerate() {
        let first = (index * a_segment) as u64;
        let mut documents = chunk.to_vec();
        documents.iter_mut().zip(first..).for_each(|(document, sequence)| document.sequence = sequence);
        segments.push(Arc::new(NaiveView { documents, first, coarse: index % 2 == 0 }));
    }
    Snapshot { segments, sequence, ..Snapshot::default() }
}

impl NaiveView {
    fn select(&self, condition: &Condition) -> Bitmap {
        let mut found = Bitmap::none(self.len());
        let mut tokens = MessageTokens::default();
        for (id, document) in self.documents.iter().enumerate() {
            tokens.forget();
            if matcher::holds(condition, document, &mut tokens) {
                found.add(id as u32);
            }
        }
        found
    }
}

impl SegmentView for NaiveView {
    fn len(&self) -> u32 {
        self.documents.len() as u32
    }

    fn first_sequence(&self) -> u64 {
        self.first
    }

    fn received_range(&self) -> (i64, i64) {
        (self.documents[0].received_us, self.documents[self.documents.len() - 1].received_us)
    }

    fn received_between(&self, from_us: i64, to_us: i64) -> Range<u32> {
        let edges = self.received_edges(&[from_us, to_us]);
        edges[0]..edges[1]
    }

    fn received_edges(&self, edges_us: &[i64]) -> Vec<u32> {
        let first =
            |edge: &i64| self.documents.partition_point(|document| document.received_us < *edge) as u32;
        edges_us.iter().map(first).collect()
    }

    fn event_between(&self, from_us: i64, to_us: i64, _: &CancelToken) -> Result<Bitmap, ReadError> {
        Ok(self.select(&Condition::Event(from_us, to_us)))
    }

    fn event_times(&self, documents: &Bitmap, visit: &mut dyn FnMut(u32, i64)) -> Result<(), ReadError> {
        documents.iter().for_each(|id| visit(id, self.documents[id as usize].event.unix_us));
        Ok(())
    }

    fn words(&self, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        cancel.check()?;
        Ok(self.select(&Condition::Word(pattern.clone())))
    }

    fn word_use(&self, pattern: &Pattern, _: &CancelToken) -> Result<Option<WordUse>, ReadError> {
        let postings = self.select(&Condition::Word(pattern.clone())).count();
        Ok(Some(WordUse { words: 1, postings }))
    }

    fn phrase(&self, phrase: &Phrase, cancel: &CancelToken) -> Result<PhraseAnswer, ReadError> {
        cancel.check()?;
        if !self.coarse {
            return Ok(PhraseAnswer {
                documents: self.select(&Condition::Phrase(phrase.clone())),
                sure: None,
            });
        }
        let words = phrase.words.iter().filter(|word| !matches!(word, Pattern::Any));
        let words = words.map(|word| Condition::Word(word.clone())).collect();
        let documents = self.select(&Condition::and(words));
        Ok(PhraseAnswer { sure: Some(Bitmap::none(documents.len())), documents })
    }

    fn values(&self, column: &Column, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        cancel.check()?;
        Ok(self.select(&Condition::Value(column.clone(), ValueTest::Pattern(pattern.clone()))))
    }

    fn count_values(
        &self,
        column: &Column,
        documents: &Bitmap,
        cancel: &CancelToken,
        add: &mut dyn FnMut(&[u8], u64),
    ) -> Result<(), ReadError> {
        cancel.check()?;
        let mut counts: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        for id in documents.iter() {
            matcher::any_value(&self.documents[id as usize], column, &mut |value| {
                *counts.entry(value.to_vec()).or_default() += 1;
                false
            });
        }
        counts.iter().for_each(|(value, count)| add(value, *count));
        Ok(())
    }

    fn columns(&self) -> Vec<ColumnUse> {
        let mut columns: Vec<Column> = self.documents.iter().flat_map(matcher::columns).collect();
        columns.sort_by_key(|column| format!("{column:?}"));
        columns.dedup();
        let count = |column: &Column| {
            let any = ValueTest::Pattern(Pattern::Any);
            self.select(&Condition::Value(column.clone(), any)).count()
        };
        let used = |column: Column| ColumnUse { documents: count(&column), column, numeric: false };
        columns.into_iter().map(used).collect()
    }

    fn read(
        &self,
        documents: &mut dyn Iterator<Item = u32>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(u32, &Document) -> bool,
    ) -> Result<(), ReadError> {
        for id in documents {
            cancel.check()?;
            if !visit(id, &self.documents[id as usize]) {
                break;
            }
        }
        Ok(())
    }
}
