//! One segment's part of an answer.
//!
//! In: the condition, the time range. Out: the bitmap of matches and their counts, also over time.

use super::histogram::{HistogramRange, event_buckets, received_buckets};
use crate::{
    answer::{Clock, Search},
    condition::Condition,
    plan,
    question::Query,
    scope::VisibleSegment,
};
use lookup::{Bitmap, ReadError};
use std::{ops::Range, sync::Arc};

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
    query: &Query,
    search: &Search,
    frame: &HistogramRange,
) -> Result<SegmentMatches, ReadError> {
    search.cancel.check()?;
    let view = seen.view;
    let (matching, scanned) = matching(seen, query, search)?;
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

/// Matches that are kept for the next search: a bitmap, or a list where that is shorter.
struct KeptMatches {
    matching: KeptBitmap,
    scanned: u64,
}

enum KeptBitmap {
    Bits(Bitmap),
    List { documents: Box<[u32]>, length: u32 },
}

impl KeptBitmap {
    fn of(bitmap: &Bitmap) -> KeptBitmap {
        match bitmap.count() * 32 < u64::from(bitmap.len()) {
            true => KeptBitmap::List { documents: bitmap.iter().collect(), length: bitmap.len() },
            false => KeptBitmap::Bits(bitmap.clone()),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            KeptBitmap::Bits(bitmap) => size_of_val(bitmap.words()),
            KeptBitmap::List { documents, .. } => size_of_val(documents.as_ref()),
        }
    }

    fn bitmap(&self) -> Bitmap {
        match self {
            KeptBitmap::Bits(bitmap) => bitmap.clone(),
            KeptBitmap::List { documents, length } => {
                let mut bitmap = Bitmap::none(*length);
                documents.iter().for_each(|document| bitmap.add(*document));
                bitmap
            }
        }
    }
}

/// Returns the matches and the number of documents in the time range.
pub(crate) fn matching(
    seen: VisibleSegment<'_>,
    query: &Query,
    search: &Search,
) -> Result<(Bitmap, u64), ReadError> {
    // All messages are found faster than they are looked up.
    let name = query.condition_name().filter(|_| !matches!(query.condition(), Condition::All));
    let Some(name) = name.filter(|_| is_whole(seen, search)) else {
        return computed(seen, query.condition(), search);
    };
    if let Some(kept) = search.cache.get::<KeptMatches>(seen.view, name) {
        return Ok((kept.matching.bitmap(), kept.scanned));
    }
    let (matching, scanned) = computed(seen, query.condition(), search)?;
    let kept = KeptMatches { matching: KeptBitmap::of(&matching), scanned };
    let bytes = kept.matching.bytes();
    search.cache.insert(seen.view, name, Arc::new(kept), bytes);
    Ok((matching, scanned))
}

/// Returns true if the search considers every document of a segment that the user may see, so that the time range
/// does not matter for its results.
pub(crate) fn is_whole(seen: VisibleSegment<'_>, search: &Search) -> bool {
    let (first, last) = seen.view.received_range();
    let is_open = search.from_us.is_none() && search.to_us.is_none();
    let is_within =
        search.from_us.is_none_or(|from| from <= first) && search.to_us.is_none_or(|to| last < to);
    let is_seen = seen.end >= seen.view.first_sequence().saturating_add(seen.view.len().into());
    is_seen && (is_open || search.clock == Clock::Received && is_within)
}

fn computed(
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
