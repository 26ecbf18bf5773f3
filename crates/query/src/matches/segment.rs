//! One segment's part of an answer.
//!
//! In: the condition, the time range. Out: the bitmap of matches and their counts, also over time.

use super::histogram::{HistogramRange, event_buckets, received_buckets};
use crate::{
    answer::{Clock, Search},
    condition::Condition,
    plan,
    scope::VisibleSegment,
};
use lookup::{Bitmap, ReadError};
use std::ops::Range;

pub(crate) struct SegmentMatches {
    /// The matching documents.
    pub(crate) matching: Bitmap,
    /// Number of matching documents.
    pub(crate) count: u64,
    /// Documents in the time range.
    pub(crate) scanned: u64,
    pub(crate) buckets: Vec<u64>,
    /// First and last event time of the matches, if the search leaves an end of the range open.
    pub(crate) event_range: Option<(i64, i64)>,
}

impl SegmentMatches {
    /// Returns the part of a segment of `length` documents in which nothing matches.
    pub(crate) fn empty(length: u32) -> SegmentMatches {
        SegmentMatches {
            matching: Bitmap::none(length),
            count: 0,
            scanned: 0,
            buckets: Vec::new(),
            event_range: None,
        }
    }
}

pub(crate) fn run(
    seen: VisibleSegment<'_>,
    condition: &Condition,
    search: &Search,
    frame: &HistogramRange,
) -> Result<SegmentMatches, ReadError> {
    search.cancel.check()?;
    let view = seen.view;
    let (matching, scanned) = matching(seen, condition, search)?;
    let mut part =
        SegmentMatches { count: matching.count(), matching, scanned, buckets: Vec::new(), event_range: None };
    if part.count == 0 {
        return Ok(part);
    }
    match search.clock {
        Clock::Received => part.buckets = received_buckets(view, &part.matching, frame),
        Clock::Event if search.from_us.is_none() || search.to_us.is_none() => {
            let (mut first, mut last) = (i64::MAX, i64::MIN);
            view.event_times(&part.matching, &mut |_, us| {
                first = first.min(us);
                last = last.max(us);
            })?;
            part.event_range = Some((first, last));
        }
        Clock::Event => part.buckets = event_buckets(view, &part.matching, frame)?,
    }
    Ok(part)
}

/// Returns the matches and the number of documents in the time range.
pub(crate) fn matching(
    seen: VisibleSegment<'_>,
    condition: &Condition,
    search: &Search,
) -> Result<(Bitmap, u64), ReadError> {
    let scan = scan_range(seen, search)?;
    match scan.count {
        0 => Ok((Bitmap::none(seen.view.len()), 0)),
        count => {
            let within = scan.within.as_ref();
            Ok((plan::matching(seen.view, condition, within, &search.cancel)?, count))
        }
    }
}

/// The documents of a segment that a search considers.
pub(crate) struct ScanRange {
    /// None: all of them.
    pub(crate) within: Option<Bitmap>,
    pub(crate) count: u64,
}

/// The documents that lie in the time range, in the snapshot, and within the boundary.
pub(crate) fn scan_range(seen: VisibleSegment<'_>, search: &Search) -> Result<ScanRange, ReadError> {
    let view = seen.view;
    let whole = 0..view.len();
    let unseen = seen.end.saturating_sub(view.first_sequence());
    let mut range: Range<u32> = 0..u32::try_from(unseen).unwrap_or(u32::MAX).min(view.len());
    let open = search.from_us.is_none() && search.to_us.is_none();
    let (from, to) = (search.from_us.unwrap_or(i64::MIN), search.to_us.unwrap_or(i64::MAX));
    if search.clock == Clock::Received && !open {
        let timed = view.received_between(from, to);
        range = range.start.max(timed.start)..range.end.min(timed.end);
    }
    if range.start >= range.end {
        return Ok(ScanRange { within: None, count: 0 });
    }
    let mut within = None;
    if range != whole {
        let mut documents = Bitmap::none(view.len());
        documents.add_range(range.clone());
        within = Some(documents);
    }
    if search.clock == Clock::Event && !open {
        let timed = view.event_between(from, to, &search.cancel)?;
        match &mut within {
            Some(within) => within.and(&timed),
            None => within = Some(timed),
        }
    }
    if let Some(boundary) = view.boundary(&search.cancel)? {
        match &mut within {
            Some(within) => within.and(boundary),
            None => within = Some(boundary.clone()),
        }
    }
    let count = within.as_ref().map_or(u64::from(view.len()), Bitmap::count);
    Ok(ScanRange { within, count })
}
