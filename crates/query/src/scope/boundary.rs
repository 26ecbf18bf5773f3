//! The boundary of a filtered logspace: no query reveals anything about messages outside it.
//!
//! In: queries that define what is visible, a snapshot. Out: a snapshot whose segments answer only for that.
//! Holds: one bit per message of each segment, from first use until the segment is gone.
//! Limits: a segment whose boundary cannot be determined (locked, damaged) shows nothing at all.

use crate::{
    condition::{Condition, matcher::Matcher},
    plan,
    question::Query,
};
use lookup::{
    Bitmap, CancelToken, Column, ColumnUse, ColumnValues, Document, Pattern, Phrase, PhraseAnswer, ReadError,
    SegmentResults, SegmentView, Snapshot, Together,
};
use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

/// The messages of a logspace that a user may see.
pub struct Boundary {
    written: Vec<Vec<String>>,
    condition: Arc<Condition>,
    /// Segments of the last snapshot by address. An address stays valid as long as the entry is held here.
    known: Mutex<HashMap<usize, Arc<Bounded>>>,
}

impl Boundary {
    /// Makes a boundary from alternatives: a message is inside when it matches every query of at least one of them.
    pub fn new(ways: &[Vec<Query>]) -> Boundary {
        let way = |way: &Vec<Query>| {
            Condition::and(way.iter().map(|question| question.condition().clone()).collect())
        };
        let condition = Condition::or(ways.iter().map(way).collect());
        let written =
            ways.iter().map(|way| way.iter().map(|question| question.text().to_owned()).collect()).collect();
        Boundary { written, condition: Arc::new(condition), known: Mutex::default() }
    }

    /// A snapshot within the boundary.
    pub fn apply(&self, snapshot: &Snapshot) -> Snapshot {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut met = HashMap::with_capacity(snapshot.segments.len());
        let mut segments: Vec<Arc<dyn SegmentView>> = Vec::with_capacity(snapshot.segments.len());
        for view in &snapshot.segments {
            let address = Arc::as_ptr(view).cast::<()>() as usize;
            let bounded = known.remove(&address).unwrap_or_else(|| {
                let (inner, condition) = (Arc::clone(view), Arc::clone(&self.condition));
                Arc::new(Bounded { inner, condition, allowed: OnceLock::new(), results: Arc::default() })
            });
            segments.push(bounded.clone());
            met.insert(address, bounded);
        }
        *known = met;
        Snapshot {
            segments,
            sequence: snapshot.sequence,
            locked: snapshot.locked.clone(),
            away: snapshot.away.clone(),
            damaged: snapshot.damaged.clone(),
            lost: snapshot.lost.clone(),
            starting: snapshot.starting,
        }
    }

    /// Returns the queries that the boundary was made from, as written.
    pub fn written(&self) -> &[Vec<String>] {
        &self.written
    }

    /// Returns a matcher that tests messages one by one.
    pub fn matcher(&self) -> Matcher {
        Matcher::new(self.condition.clone())
    }
}

/// Finds the documents of a segment that answer a query and lie within a boundary.
pub fn matching(
    query: &Query,
    boundary: Option<Arc<Boundary>>,
) -> impl FnMut(&dyn SegmentView, &CancelToken) -> Result<Bitmap, ReadError> + use<> {
    let condition = query.shared_condition();
    move |view, cancel| {
        let allowed =
            boundary.as_ref().map(|boundary| plan::matching(view, &boundary.condition, None, cancel));
        plan::matching(view, &condition, allowed.transpose()?.as_ref(), cancel)
    }
}

/// A segment within a boundary. Times and lengths are the whole segment's, for planning; they are never shown.
struct Bounded {
    inner: Arc<dyn SegmentView>,
    condition: Arc<Condition>,
    allowed: OnceLock<Bitmap>,
    /// Those within the boundary.
    results: Arc<SegmentResults>,
}

impl Bounded {
    fn allowed(&self, cancel: &CancelToken) -> Result<&Bitmap, ReadError> {
        if let Some(allowed) = self.allowed.get() {
            return Ok(allowed);
        }
        let found = plan::matching(self.inner.as_ref(), &self.condition, None, cancel)?;
        // Threads that compute it at the same time get the same result.
        Ok(self.allowed.get_or_init(|| found))
    }
}

impl SegmentView for Bounded {
    fn len(&self) -> u32 {
        self.inner.len()
    }

    fn first_sequence(&self) -> u64 {
        self.inner.first_sequence()
    }

    fn received_range(&self) -> (i64, i64) {
        self.inner.received_range()
    }

    fn received_between(&self, from_us: i64, to_us: i64) -> Range<u32> {
        self.inner.received_between(from_us, to_us)
    }

    fn received_edges(&self, edges_us: &[i64]) -> Vec<u32> {
        self.inner.received_edges(edges_us)
    }

    fn event_between(&self, from_us: i64, to_us: i64, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        self.inner.event_between(from_us, to_us, cancel)
    }

    fn event_times(&self, documents: &Bitmap, visit: &mut dyn FnMut(u32, i64)) -> Result<(), ReadError> {
        let mut within = documents.clone();
        within.and(self.allowed(&CancelToken::unlimited())?);
        self.inner.event_times(&within, visit)
    }

    fn words(&self, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        self.inner.words(pattern, cancel)
    }

    fn words_together(&self, words: &Together<'_>, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        self.inner.words_together(words, cancel)
    }

    fn phrase(&self, phrase: &Phrase, cancel: &CancelToken) -> Result<PhraseAnswer, ReadError> {
        self.inner.phrase(phrase, cancel)
    }

    fn values(&self, column: &Column, pattern: &Pattern, cancel: &CancelToken) -> Result<Bitmap, ReadError> {
        let mut found = self.inner.values(column, pattern, cancel)?;
        found.and(self.allowed(cancel)?);
        Ok(found)
    }

    fn count_values(
        &self,
        column: &Column,
        documents: &Bitmap,
        cancel: &CancelToken,
        add: &mut dyn FnMut(&[u8], u64),
    ) -> Result<(), ReadError> {
        let mut within = documents.clone();
        within.and(self.allowed(cancel)?);
        self.inner.count_values(column, &within, cancel, &mut |value, count| {
            if count > 0 {
                add(value, count);
            }
        })
    }

    fn value_ids(
        &self,
        column: &Column,
        documents: &Bitmap,
        cancel: &CancelToken,
    ) -> Result<Option<ColumnValues>, ReadError> {
        let mut within = documents.clone();
        within.and(self.allowed(cancel)?);
        // The values of fewer documents than asked for would belong to others.
        match within == *documents {
            true => self.inner.value_ids(column, documents, cancel),
            false => Ok(None),
        }
    }

    fn results(&self) -> Option<&Arc<SegmentResults>> {
        self.inner.results().map(|_| &self.results)
    }

    fn columns(&self) -> Vec<ColumnUse> {
        self.inner.columns()
    }

    fn boundary(&self, cancel: &CancelToken) -> Result<Option<&Bitmap>, ReadError> {
        self.allowed(cancel).map(Some)
    }

    fn read(
        &self,
        documents: &mut dyn Iterator<Item = u32>,
        cancel: &CancelToken,
        visit: &mut dyn FnMut(u32, &Document) -> bool,
    ) -> Result<(), ReadError> {
        let allowed = self.allowed(cancel)?;
        self.inner.read(&mut documents.filter(|id| allowed.has(*id)), cancel, visit)
    }
}

/// Returns the columns of a segment that are visible to the user.
pub(crate) fn columns(view: &dyn SegmentView, cancel: &CancelToken) -> Result<Vec<ColumnUse>, ReadError> {
    let mut columns = view.columns();
    let Some(allowed) = view.boundary(cancel)? else { return Ok(columns) };
    for used in &mut columns {
        used.documents = view.values(&used.column, &Pattern::Any, cancel)?.count();
        used.numeric = true;
        view.count_values(&used.column, allowed, cancel, &mut |value, _| {
            used.numeric &= std::str::from_utf8(value).is_ok_and(|text| text.trim().parse::<f64>().is_ok());
        })?;
    }
    columns.retain(|used| used.documents > 0);
    Ok(columns)
}

/// Returns the received times of the first and the last visible message.
pub(crate) fn received_range(
    view: &dyn SegmentView,
    cancel: &CancelToken,
) -> Result<Option<(i64, i64)>, ReadError> {
    let Some(allowed) = view.boundary(cancel)? else { return Ok(Some(view.received_range())) };
    let ends = [allowed.iter().next(), allowed.iter_rev().next()];
    let mut times = Vec::with_capacity(ends.len());
    view.read(&mut ends.into_iter().flatten(), cancel, &mut |_, document| {
        times.push(document.received_us);
        true
    })?;
    Ok(times.first().copied().zip(times.last().copied()))
}

/// Returns the number of messages of a segment that lie within its boundary.
pub(crate) fn count(view: &dyn SegmentView, cancel: &CancelToken) -> Result<u64, ReadError> {
    Ok(view.boundary(cancel)?.map_or(u64::from(view.len()), Bitmap::count))
}

#[cfg(test)]
mod tests;
