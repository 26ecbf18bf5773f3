//! The answers of a sealed segment.
//!
//! In: queries. Out: documents, counts, messages. Holds nothing. Limits: see `SegmentView`.

use super::{Sealed, column::SealedColumn, reading::Reading, terms::Templates};
use crate::format::columns::Kind;
use crate::{
    answers::{
        column::{self, Fixed, Shown, ValueIds},
        phrase::{self, Excerpt, Judge, Verdict},
        words,
    },
    documents,
    format::{Damage, numbers},
};
use lookup::{
    Bitmap, CancelToken, Column, ColumnUse, ColumnValues, Document, Pattern, Phrase, PhraseAnswer, ReadCost,
    ReadError, SegmentResults, SegmentView, Together, WordUse,
};
use std::{ops::Range, sync::Arc};

/// Blocks of numbers between two checks of the token.
const BLOCKS_A_LOOK: usize = 1024;

impl Sealed {
    /// The columns that may hold values of an asked one.
    pub(super) fn sources(&self, asked: &Column) -> Result<Vec<(SealedColumn<'_>, Shown)>, ReadError> {
        let (fixed, shown) = column::resolve(asked);
        let code = Kind::Fixed as u8 + fixed.unwrap_or(Fixed::Rest) as u8;
        let mut sources = Vec::new();
        for entry in &self.meta.columns {
            let is_named = fixed.is_none()
                && entry.code == Kind::Named as u8
                && matches!(asked, Column::Named(name) if *name == entry.name);
            if entry.code == code || is_named {
                let shown = if is_named { Shown::Whole } else { shown.clone() };
                sources.push((self.column(entry).map_err(|damage| self.corrupt(damage))?, shown));
            }
        }
        Ok(sources)
    }

    /// Reads documents, and passes where in the frame the text begins; `None` when it is not part of it.
    pub(crate) fn read_placed(
        &self,
        documents: &mut dyn Iterator<Item = u32>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(u32, &Document, Option<usize>) -> bool,
    ) -> Result<(), ReadError> {
        let _pin = self.file.pin();
        let reading = Reading::new(self).map_err(|damage| self.corrupt(damage))?;
        documents::read_placed(&reading, documents, cancel, visit)
    }

    /// Documents of the templates that a phrase may be in, with all of its words in text or name-value pairs.
    fn judged(
        &self,
        possible: &[bool],
        verdicts: &[Verdict],
        templates: &Templates<'_>,
        phrase: &Phrase,
        cancel: &CancelToken,
    ) -> Result<PhraseAnswer, ReadError> {
        let corrupt = |damage| self.corrupt(damage);
        let documents = self.of_templates(possible).map_err(corrupt)?;
        let is_other = |word: &&Pattern| match word {
            Pattern::Exact(text) => templates.number(text).is_none(),
            _ => true,
        };
        // Not `words`: a host or a program of that name is not in the text.
        let words = phrase.words.iter().filter(is_other);
        let documents = phrase::with_words(documents, words, |word| Ok(self.tokens(word, cancel)?.0))?;
        if documents.is_empty() || !verdicts.contains(&Verdict::Perhaps) {
            return Ok(PhraseAnswer { documents, sure: None });
        }
        let sure: Vec<bool> = verdicts.iter().map(|verdict| *verdict == Verdict::Yes).collect();
        let mut sure = self.of_templates(&sure).map_err(corrupt)?;
        sure.and(&documents);
        Ok(PhraseAnswer { documents, sure: Some(sure) })
    }

    fn received_edge(&self, us: i64) -> Result<u32, Damage> {
        let received = self.numbers(Kind::Received)?;
        Ok((received.lower_bound(us)? as u32).min(self.meta.length))
    }
}

impl SegmentView for Sealed {
    fn len(&self) -> u32 {
        self.meta.length
    }

    fn first_sequence(&self) -> u64 {
        self.meta.first_sequence
    }

    fn received_range(&self) -> (i64, i64) {
        self.meta.received
    }

    fn received_between(&self, from_us: i64, to_us: i64) -> Range<u32> {
        let edges = self.received_edges(&[from_us, to_us]);
        edges[0]..edges[1].max(edges[0])
    }

    fn received_edges(&self, edges_us: &[i64]) -> Vec<u32> {
        let _pin = self.file.pin();
        // The column was intact when the segment was opened; numbers that cannot be read count as earlier.
        edges_us.iter().map(|us| self.received_edge(*us).unwrap_or(self.meta.length)).collect()
    }

    fn event_between(&self, from_us: i64, to_us: i64, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        let _pin = self.file.pin();
        let corrupt = |damage| self.corrupt(damage);
        let mut found = Bitmap::none(self.meta.length);
        let events = self.numbers(Kind::Event).map_err(corrupt)?;
        for block in 0..(self.meta.length as usize).div_ceil(numbers::BLOCK) {
            if block % BLOCKS_A_LOOK == 0 {
                cancel.check()?;
            }
            if events.smallest(block).map_err(corrupt)? >= to_us {
                continue;
            }
            for (index, us) in events.block(block).map_err(corrupt)?.iter().enumerate() {
                if (from_us..to_us).contains(us) {
                    found.add((block * numbers::BLOCK + index) as u32);
                }
            }
        }
        Ok(found)
    }

    fn event_times(&self, documents: &Bitmap, visit: &mut dyn FnMut(u32, i64)) -> Result<(), ReadError> {
        let _pin = self.file.pin();
        let corrupt = |damage| self.corrupt(damage);
        let events = self.numbers(Kind::Event).map_err(corrupt)?;
        for (block, words) in documents.words().chunks(numbers::BLOCK / 64).enumerate() {
            if words.iter().all(|word| *word == 0) {
                continue;
            }
            let first = (block * numbers::BLOCK) as u32;
            for (index, us) in events.block(block).map_err(corrupt)?.iter().enumerate() {
                let document = first + index as u32;
                if documents.has(document) {
                    visit(document, *us);
                }
            }
        }
        Ok(())
    }

    fn words(&self, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        self.together(&Together { any: vec![vec![pattern]], none: Vec::new() }, cancel)
    }

    fn words_together(&self, words: &Together<'_>, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        self.together(words, cancel)
    }

    fn word_use(&self, pattern: &Pattern, cancel: &CancelToken) -> Result<Option<WordUse>, ReadError> {
        let _pin = self.file.pin();
        self.tokens(pattern, cancel).map(|(_, used)| Some(used))
    }

    fn read_cost(&self, documents: &Bitmap) -> Result<Option<ReadCost>, ReadError> {
        let _pin = self.file.pin();
        let mut cost = ReadCost::default();
        for block in 0..self.blocks() {
            let (range, bytes) = self.block_range(block).map_err(|damage| self.corrupt(damage))?;
            if documents.count_range(range) > 0 {
                cost.blocks += 1;
                cost.bytes += bytes.end - bytes.start;
            }
        }
        Ok(Some(cost))
    }

    fn phrase(&self, phrase: &Phrase, cancel: &CancelToken) -> Result<PhraseAnswer, ReadError> {
        let _pin = self.file.pin();
        let corrupt = |damage| self.corrupt(damage);
        let templates = self.templates().map_err(corrupt)?;
        let find = |token: &[u8]| templates.number(token);
        if let Some(excerpt) = Excerpt::whole(phrase, find) {
            let having = templates.having(|sequence| excerpt.is_in(sequence)).map_err(corrupt)?;
            let documents = self.of_templates(&having).map_err(corrupt)?;
            return Ok(PhraseAnswer { documents, sure: None });
        }
        let adjacency = self.adjacency().map_err(corrupt)?;
        let beside = |word: &[u8]| {
            let Some(adjacency) = &adjacency else { return Ok(None) };
            self.ordinal_of(word)?.map_or(Ok(None), |ordinal| adjacency.find(ordinal))
        };
        let Some(judge) = Judge::new(phrase, find, beside).map_err(corrupt)? else {
            return phrase::candidates(self, phrase, None, |_| false, cancel);
        };
        let mut verdicts = Vec::new();
        let possible = templates.having(|sequence| {
            let layout = adjacency.as_ref().map(|adjacency| adjacency.layout(verdicts.len() as u32));
            let verdict = judge.verdict(sequence, layout.unwrap_or_default());
            verdicts.push(verdict);
            verdict != Verdict::No
        });
        self.judged(&possible.map_err(corrupt)?, &verdicts, &templates, phrase, cancel)
    }

    fn values(&self, asked: &Column, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        let _pin = self.file.pin();
        let mut found = Bitmap::none(self.meta.length);
        for (source, shown) in self.sources(asked)? {
            column::find_typed(&source, source.kind(), &shown, pattern, cancel, &mut found)?;
        }
        Ok(found)
    }

    fn count_values(
        &self,
        asked: &Column,
        documents: &Bitmap,
        cancel: &CancelToken,
        add: &mut dyn FnMut(&[u8], u64),
    ) -> Result<(), ReadError> {
        let _pin = self.file.pin();
        for (source, shown) in self.sources(asked)? {
            column::count(&source, &shown, documents, cancel, add)?;
        }
        Ok(())
    }

    fn value_ids(
        &self,
        asked: &Column,
        documents: &Bitmap,
        cancel: &CancelToken,
    ) -> Result<Option<ColumnValues>, ReadError> {
        let _pin = self.file.pin();
        let mut ids = ValueIds::new(documents);
        for (source, shown) in self.sources(asked)? {
            ids.add(&source, &shown, cancel)?;
        }
        Ok(ids.finish())
    }

    fn results(&self) -> Option<&Arc<SegmentResults>> {
        Some(&self.results)
    }

    fn columns(&self) -> Vec<ColumnUse> {
        let uses = |code: u8| self.meta.columns.iter().filter(move |entry| entry.code == code);
        let fixed = Fixed::ALL.iter().flat_map(|fixed| {
            let entries = uses(Kind::Fixed as u8 + *fixed as u8);
            entries.map(|entry| (*fixed, u64::from(entry.documents), entry.numeric))
        });
        let named = uses(Kind::Named as u8);
        let named = named.map(|entry| (entry.name.as_str(), u64::from(entry.documents), entry.numeric));
        words::column_uses(fixed, named)
    }

    fn read(
        &self,
        documents: &mut dyn Iterator<Item = u32>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(u32, &Document) -> bool,
    ) -> Result<(), ReadError> {
        let _pin = self.file.pin();
        let reading = Reading::new(self).map_err(|damage| self.corrupt(damage))?;
        documents::read(&reading, documents, cancel, visit)
    }
}
