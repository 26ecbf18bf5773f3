//! The queries that a segment answers, active or sealed.
//!
//! In: patterns and columns. Out: bitmaps of documents, counts, documents. Document numbers are positions in
//! receive order, so a range of received time is a range of documents.
//! Limits: every long walk checks its [`CancelToken`] at least every few milliseconds.

mod results;

use crate::{
    Bitmap, CancelToken, Column, ColumnUse, ColumnValues, Document, Pattern, Phrase, PhraseAnswer, ReadCost,
    ReadError, WordUse,
};
pub use results::{AnyResult, SegmentResults};
use std::{ops::Range, sync::Arc};

/// Words that are looked up together.
#[derive(Clone, Debug, Default)]
pub struct Together<'a> {
    /// A document must have at least one word of each of these lists.
    pub any: Vec<Vec<&'a Pattern>>,
    /// A document must have none of these words.
    pub none: Vec<&'a Pattern>,
}

/// A segment, active or sealed, as seen by a query. All bitmaps have [`SegmentView::len`] bits.
pub trait SegmentView: Send + Sync {
    /// Number of documents.
    fn len(&self) -> u32;

    /// Returns true when there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sequence number of document 0.
    fn first_sequence(&self) -> u64;

    /// Received times of the first and the last document, microseconds since 1970.
    fn received_range(&self) -> (i64, i64);

    /// Documents received in `from_us..to_us`.
    fn received_between(&self, from_us: i64, to_us: i64) -> Range<u32>;

    /// Splits the documents at times, for histograms: returns for each of the ascending `edges_us` the first
    /// document received at or after it.
    fn received_edges(&self, edges_us: &[i64]) -> Vec<u32>;

    /// Documents whose event time lies in `from_us..to_us`.
    fn event_between(&self, from_us: i64, to_us: i64, cancel: &CancelToken) -> Result<Bitmap, ReadError>;

    /// Calls `visit` with (document, event time in microseconds) of each given document, ascending.
    fn event_times(&self, documents: &Bitmap, visit: &mut dyn FnMut(u32, i64)) -> Result<(), ReadError>;

    /// Documents with a matching token in the text, host, program or a name-value pair.
    fn words(&self, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError>;

    /// Returns the documents that have a word of each required list and no excluded word: the results of
    /// [`SegmentView::words`] for each word, combined.
    fn words_together(&self, words: &Together<'_>, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        let having = |words: &[&Pattern]| -> Result<Bitmap, ReadError> {
            let mut found = Bitmap::none(self.len());
            words
                .iter()
                .try_for_each(|word| self.words(word, cancel).map(|documents| found.or(&documents)))?;
            Ok(found)
        };
        let mut found = Bitmap::all(self.len());
        for any in &words.any {
            found.and(&having(any)?);
            if found.is_empty() {
                return Ok(found);
            }
        }
        found.and_not(&having(&words.none)?);
        Ok(found)
    }

    /// Counts what [`SegmentView::words`] reads from the index of words; none when the segment does not know. It is
    /// counted at each call, to explain the cost of a query.
    fn word_use(&self, _pattern: &Pattern, _watch: &CancelToken) -> Result<Option<WordUse>, ReadError> {
        Ok(None)
    }

    /// Returns the cost of reading these documents; none when the segment does not know.
    fn read_cost(&self, _documents: &Bitmap) -> Result<Option<ReadCost>, ReadError> {
        Ok(None)
    }

    /// Documents whose text may hold the phrase.
    fn phrase(&self, phrase: &Phrase, cancel: &CancelToken) -> Result<PhraseAnswer, ReadError>;

    /// Documents with a matching whole value in a column.
    fn values(&self, column: &Column, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError>;

    /// Adds the count of each distinct value of a column among the documents.
    fn count_values(
        &self,
        column: &Column,
        documents: &Bitmap,
        cancel: &CancelToken,
        add: &mut dyn FnMut(&[u8], u64),
    ) -> Result<(), ReadError>;

    /// Returns the value of a column in each of the documents. None when the column does not tell: the segment has
    /// no columns, or one of the documents has several values.
    fn value_ids(
        &self,
        _column: &Column,
        _documents: &Bitmap,
        _cancel: &CancelToken,
    ) -> Result<Option<ColumnValues>, ReadError> {
        Ok(None)
    }

    /// Columns of the segment.
    fn columns(&self) -> Vec<ColumnUse>;

    /// Returns the documents that the user may see; none: all of them. The results of the other calls must be
    /// narrowed by it before anything is shown.
    fn boundary(&self, _watch: &CancelToken) -> Result<Option<&Bitmap>, ReadError> {
        Ok(None)
    }

    /// Returns the place for results of searches that are kept as long as the segment is open; none when its messages
    /// may still change.
    fn results(&self) -> Option<&Arc<SegmentResults>> {
        None
    }

    /// Reads documents, given ascending or descending; `visit` sees them in the same order and returns `false` to stop.
    fn read(
        &self,
        documents: &mut dyn Iterator<Item = u32>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(u32, &Document) -> bool,
    ) -> Result<(), ReadError>;
}

#[cfg(test)]
mod tests;
