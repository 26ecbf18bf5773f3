//! Counts of a column's values, added up over segments.
//!
//! In: values with their counts. Out: the most frequent. Limits: [`VALUES_MAX`] and [`BYTES_MAX`] per column:
//! further values are counted together, and the facet says that it was cut; the memory of the search: without it
//! there is no answer.

use crate::{
    answer::{Facet, Search, SearchError},
    condition::matcher,
    matches::{SegmentMatches, is_whole, parallel},
    memory::{MemoryBudget, MemoryError, MemoryPermit},
    question::Query,
    scope::VisibleSegment,
};
use lookup::{Bitmap, Column, Pattern, ReadError, SegmentView};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Most distinct values counted separately: a screen shows ten, and beyond this the distinct count is a lower bound.
const VALUES_MAX: usize = 500_000;
/// Most bytes of values counted separately.
const BYTES_MAX: usize = 64 << 20;

/// Memory per value besides its bytes, in a table that was just enlarged.
const VALUE_BYTES: usize = 96;

pub(super) struct Counts {
    values: HashMap<Vec<u8>, u64>,
    bytes: usize,
    /// Count of values beyond the limits.
    rest: u64,
    /// Documents that have the column.
    pub(super) coverage: u64,
    memory: MemoryPermit,
    /// Set when there was no memory for a value.
    refused: Option<MemoryError>,
}

/// The counts of a segment, kept for the next search.
struct KeptCounts {
    values: Vec<(Box<[u8]>, u64)>,
    coverage: u64,
}

/// The reasons why there are no counts.
pub(super) enum Uncounted<'s> {
    /// A segment could not be read.
    Read(VisibleSegment<'s>, ReadError),
    /// There was no memory for them.
    Memory(SearchError),
}

impl Counts {
    pub(super) fn new(budget: &MemoryBudget) -> Counts {
        let (values, memory) = (HashMap::new(), budget.permit("facets"));
        Counts { values, bytes: 0, rest: 0, coverage: 0, memory, refused: None }
    }

    /// Fails when there was no memory for a value.
    pub(super) fn check(&mut self) -> Result<(), SearchError> {
        self.refused.take().map_or(Ok(()), |error| Err(error.into()))
    }

    pub(super) fn add(&mut self, value: &[u8], count: u64) {
        if let Some(sum) = self.values.get_mut(value) {
            *sum += count;
        } else if count == 0 {
        } else if self.values.len() < VALUES_MAX && self.bytes + value.len() <= BYTES_MAX {
            // The segment may hold a lock while it counts, so this code must not wait for memory.
            if self.refused.is_none() {
                self.refused = self.memory.grow_at_once(value.len() + VALUE_BYTES).err();
            }
            if self.refused.is_some() {
                return;
            }
            self.bytes += value.len();
            self.values.insert(value.to_vec(), count);
        } else {
            self.rest += count;
        }
    }

    /// Copies the counts, to be kept for another search; none when some are counted together.
    fn kept(&self) -> Option<KeptCounts> {
        let value = |(value, count): (&Vec<u8>, &u64)| (value.as_slice().into(), *count);
        let kept = || KeptCounts { values: self.values.iter().map(value).collect(), coverage: self.coverage };
        (self.rest == 0 && self.refused.is_none()).then(kept)
    }

    fn add_kept(&mut self, kept: &KeptCounts) {
        kept.values.iter().for_each(|(value, count)| self.add(value, *count));
        self.coverage += kept.coverage;
    }

    pub(super) fn merge(&mut self, mut other: Counts) {
        if self.values.is_empty() {
            let (rest, coverage) = (self.rest, self.coverage);
            *self = other;
            self.rest += rest;
            self.coverage += coverage;
            return;
        }
        self.refused = self.refused.take().or(other.refused.take());
        for (value, count) in std::mem::take(&mut other.values) {
            // Its memory was freed before it is requested here.
            other.memory.shrink(value.len() + VALUE_BYTES);
            self.add(&value, count);
        }
        self.rest += other.rest;
        self.coverage += other.coverage;
    }

    pub(super) fn total(&self) -> u64 {
        self.values.values().sum::<u64>() + self.rest
    }

    /// The most frequent values; equal counts by value.
    pub(super) fn top(&self, limit: usize) -> Vec<(Vec<u8>, u64)> {
        let mut values: Vec<(&Vec<u8>, u64)> =
            self.values.iter().map(|(value, count)| (value, *count)).collect();
        let order = |a: &(&Vec<u8>, u64), b: &(&Vec<u8>, u64)| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0));
        if values.len() > limit && limit > 0 {
            values.select_nth_unstable_by(limit - 1, order);
        }
        values.truncate(limit);
        values.sort_unstable_by(order);
        values.into_iter().map(|(value, count)| (value.clone(), count)).collect()
    }
}

/// Returns the facets of an answer, or the segment that could not be counted. A segment's counts are added to the
/// sum as soon as they are known, so that there are never more of them than threads.
pub(super) fn count<'s>(
    views: &[VisibleSegment<'s>],
    parts: &[SegmentMatches],
    query: &Query,
    search: &Search,
) -> Result<Vec<Facet>, Uncounted<'s>> {
    let sums: Vec<Mutex<Counts>> =
        search.facets.iter().map(|_| Mutex::new(Counts::new(&search.memory))).collect();
    let results = parallel::each(search.threads, parts.len(), |index| {
        if parts[index].count == 0 {
            return Ok(());
        }
        let seen = views[index];
        let name = query.condition_name().filter(|_| is_whole(seen, search));
        for (column, sum) in search.facets.iter().zip(&sums) {
            let name = name.map(|condition| Arc::from(format!("counts {column:?} {condition}")));
            add_segment(seen, column, &parts[index].matching, search, (name, sum))?;
        }
        Ok(())
    });
    results.into_iter().collect::<Result<(), Uncounted<'s>>>()?;
    let facet = |(column, sum): (_, Mutex<Counts>)| {
        let counts = sum.into_inner().unwrap_or_else(PoisonError::into_inner);
        let values = counts.top(search.facet_limit);
        let listed: u64 = values.iter().map(|(_, count)| count).sum();
        Facet {
            column,
            other: counts.total() - listed,
            distinct: counts.values.len() as u64,
            cut: counts.rest > 0,
            coverage: counts.coverage,
            values,
        }
    };
    Ok(search.facets.iter().cloned().zip(sums).map(facet).collect())
}

/// Adds the counts of a segment, which are kept under a name if there is one.
fn add_segment<'s>(
    seen: VisibleSegment<'s>,
    column: &Column,
    matching: &Bitmap,
    search: &Search,
    (name, sum): (Option<Arc<str>>, &Mutex<Counts>),
) -> Result<(), Uncounted<'s>> {
    let locked = || sum.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = name.as_ref().and_then(|name| search.cache.get::<KeptCounts>(seen.view, name)) {
        let mut sum = locked();
        sum.add_kept(&kept);
        return sum.check().map_err(Uncounted::Memory);
    }
    let (counts, name) = match of_segment(seen.view, column, matching, search) {
        // The column is damaged, but the messages may not be.
        Err(ReadError::Corrupt { .. } | ReadError::Io { .. }) => {
            (of_documents(seen.view, column, matching, search), None)
        }
        counts => (counts, name),
    };
    let mut counts = counts.map_err(|error| Uncounted::Read(seen, error))?;
    counts.check().map_err(Uncounted::Memory)?;
    let bytes = counts.bytes + counts.values.len() * VALUE_BYTES;
    if let Some(name) = name.filter(|_| search.cache.accepts(seen.view, bytes))
        && let Some(kept) = counts.kept()
    {
        search.cache.insert(seen.view, &name, Arc::new(kept), bytes);
    }
    let mut sum = locked();
    sum.merge(counts);
    sum.check().map_err(Uncounted::Memory)
}

fn of_segment(
    view: &dyn SegmentView,
    column: &Column,
    matching: &Bitmap,
    search: &Search,
) -> Result<Counts, ReadError> {
    let mut counts = Counts::new(&search.memory);
    view.count_values(column, matching, &search.cancel, &mut |value, count| counts.add(value, count))?;
    counts.coverage = counts.total();
    if *column == Column::Tags {
        // A document may have several tags, so the sum of the counts may exceed the number of documents.
        let mut having = view.values(column, &Pattern::Any, &search.cancel)?;
        having.and(matching);
        counts.coverage = having.count();
    }
    Ok(counts)
}

/// Counts the values in the messages themselves.
fn of_documents(
    view: &dyn SegmentView,
    column: &Column,
    matching: &Bitmap,
    search: &Search,
) -> Result<Counts, ReadError> {
    let mut counts = Counts::new(&search.memory);
    view.read(&mut matching.iter(), &search.cancel, &mut |_, document| {
        let mut has = false;
        matcher::any_value(document, column, &mut |value| {
            has = true;
            counts.add(value, 1);
            false
        });
        counts.coverage += u64::from(has);
        true
    })?;
    Ok(counts)
}
