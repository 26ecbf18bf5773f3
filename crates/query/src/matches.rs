//! The matches of a query in each segment, before rows or counts are made from them.
//!
//! In: a scope, a query. Out: a bitmap per segment; rows, counts, facets and pipes are made from these.
//! Holds: one bit per message. Limits: the cancel token; unfinished segments are left out and reported.

mod histogram;
pub(crate) mod parallel;
pub(crate) mod segment;

pub use histogram::BUCKETS_MAX;
pub(crate) use histogram::{HistogramRange, event_buckets};
pub(crate) use segment::{SegmentMatches, is_whole, matching};

use crate::{
    answer::{Clock, Search, SearchError, TimedOut, Unread, UnreadReason},
    memory::MemoryPermit,
    question::Query,
    scope::{SearchScope, VisibleSegment},
};
use lookup::{Bitmap, Document, Locked, ReadError, Stop};

pub(crate) struct Matches<'s> {
    pub(crate) space: &'s SearchScope,
    /// The segments, newest first.
    pub(crate) views: Vec<VisibleSegment<'s>>,
    /// One per segment, as far as time allowed.
    pub(crate) parts: Vec<SegmentMatches>,
    pub(crate) frame: HistogramRange,
    /// Messages that could not be read.
    pub(crate) unread: Vec<Unread>,
    pub(crate) timed_out: Option<TimedOut>,
    /// Memory for the bitmaps.
    pub(crate) memory: MemoryPermit,
}

impl<'s> Matches<'s> {
    /// Finds the matches of a query.
    pub(crate) fn of(
        space: &'s SearchScope,
        query: &Query,
        search: &Search,
    ) -> Result<Matches<'s>, SearchError> {
        let views = space.visible(search);
        let frame = HistogramRange::new(&views, search)?;
        let mut memory = search.memory.permit("the index");
        memory.grow(views.iter().map(|seen| seen.view.len() as usize / 8).sum())?;
        let results = parallel::each(search.threads, views.len(), |index| {
            segment::run(views[index], query, search, &frame)
        });
        let mut found = Matches {
            space,
            views,
            parts: Vec::new(),
            frame,
            unread: locked(space, search),
            timed_out: None,
            memory,
        };
        found.take(results)?;
        Ok(found)
    }

    /// Returns the matches in a segment; none when it was not searched.
    pub(crate) fn matching(&self, index: usize) -> Option<&Bitmap> {
        self.parts.get(index).map(|part| &part.matching)
    }

    /// Keeps the newest segments that were searched without a gap. A segment that cannot be read counts as searched
    /// without a match, and is reported.
    fn take(&mut self, results: Vec<Result<SegmentMatches, ReadError>>) -> Result<(), SearchError> {
        let mut late = false;
        for (result, seen) in results.into_iter().zip(&self.views) {
            let result = match result {
                Err(
                    error @ (ReadError::Corrupt { .. } | ReadError::Io { .. } | ReadError::Locked { .. }),
                ) => {
                    self.unread.push(seen.unread(error)?);
                    Ok(SegmentMatches::empty(seen.view.len()))
                }
                result => result,
            };
            match result {
                Ok(part) if !late => self.parts.push(part),
                Ok(_) | Err(ReadError::Stopped(Stop::TimedOut)) => late = true,
                Err(error) => return Err(error.into()),
            }
        }
        if !late {
            return Ok(());
        }
        if self.parts.is_empty() {
            return Err(SearchError::TimedOut);
        }
        let missed = self.views.iter().skip(self.parts.len()).map(|seen| seen.view.received_range().1).max();
        let searched_from_us = missed.map_or(i64::MIN, |last| last.saturating_add(1));
        self.timed_out = Some(TimedOut { searched_from_us });
        Ok(())
    }
}

/// Returns the messages of the time range that are locked, away, lost, in damaged files or still being read back;
/// neighbouring ones are joined.
pub(crate) fn locked(space: &SearchScope, search: &Search) -> Vec<Unread> {
    let mut unread: Vec<Unread> = Vec::new();
    for (index, (member, end)) in space.members.iter().zip(space.ends(search)).enumerate() {
        let mut following = None;
        let locked = member.snapshot.locked.iter().map(|extent| (extent, UnreadReason::Locked));
        let away = member.snapshot.away.iter().map(|extent| (extent, UnreadReason::Away));
        let damaged = member.snapshot.damaged.iter().map(|extent| (extent, UnreadReason::Damaged));
        let lost = member.snapshot.lost.iter().map(|extent| (extent, UnreadReason::Lost));
        // They come after the snapshot: only a search for an older one excludes them.
        let asked = search.until.get(index).copied().unwrap_or(u64::MAX);
        let starting = member.snapshot.starting.iter().map(|extent| (extent, UnreadReason::Starting));
        let starting = starting.filter(|(extent, _)| extent.first < asked);
        let known = locked.chain(away).chain(damaged).chain(lost).filter(|(extent, _)| extent.first < end);
        for (Locked { first, count, received_us }, reason) in known.chain(starting) {
            let outside = search.from_us.is_some_and(|from| received_us.1 < from)
                || search.to_us.is_some_and(|to| received_us.0 >= to);
            if outside && search.clock == Clock::Received {
                continue;
            }
            match unread.last_mut() {
                Some(last) if following == Some(*first) && last.member == index && last.reason == reason => {
                    last.received_us.1 = received_us.1;
                    if let Some(messages) = &mut last.messages {
                        messages.end = first + count;
                    }
                }
                _ => unread.push(Unread {
                    member: index,
                    messages: (!member.is_bounded).then_some(*first..first + count),
                    received_us: *received_us,
                    reason,
                }),
            }
            following = Some(first + count);
        }
    }
    unread
}

/// Returns the key by which the rows of a scope are ordered: time, then member, then the order in which each received
/// them.
pub(crate) fn order(document: &Document) -> (i64, u64) {
    (document.received_us, document.sequence)
}

#[cfg(test)]
mod tests;
