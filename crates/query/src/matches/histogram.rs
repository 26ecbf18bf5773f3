//! The time range of an answer, and its counts over time.
//!
//! In: a search, the matches of a segment. Out: the range cut into intervals, a count for each. Limits: [`BUCKETS_MAX`].

use crate::{
    answer::Search,
    scope::{VisibleSegment, boundary},
};
use lookup::{Bitmap, ReadError, SegmentView};

/// Most buckets of an answer: more than a screen has points.
pub const BUCKETS_MAX: usize = 4_096;

/// The time range of an answer, cut into buckets.
#[derive(Clone)]
pub(crate) struct HistogramRange {
    pub(crate) from_us: i64,
    pub(crate) to_us: i64,
    pub(crate) width_us: i64,
    /// Number of buckets; 0 when there is nothing to count.
    pub(crate) buckets: usize,
}

impl HistogramRange {
    /// Returns the range that a search sets; if it sets none, that of the visible messages.
    pub(crate) fn new(views: &[VisibleSegment<'_>], search: &Search) -> Result<HistogramRange, ReadError> {
        let (mut first, mut last) = (None, None);
        if search.from_us.is_none() || search.to_us.is_none() {
            for seen in views {
                // The search reports what cannot be read.
                let range = match boundary::received_range(seen.view, &search.cancel) {
                    Err(error @ ReadError::Stopped(_)) => return Err(error),
                    range => range.ok().flatten(),
                };
                let Some((from, to)) = range else { continue };
                first = Some(first.map_or(from, |first: i64| first.min(from)));
                last = Some(last.map_or(to, |last: i64| last.max(to)));
            }
        }
        let mut frame = HistogramRange { from_us: 0, to_us: 0, width_us: 0, buckets: 0 };
        let from = search.from_us.or(first).or(search.to_us).unwrap_or(0);
        let to = search.to_us.or(last.map(|last| last.saturating_add(1))).unwrap_or(from);
        frame.set_range(from, to.max(from), search.buckets);
        Ok(frame)
    }

    pub(crate) fn set_range(&mut self, from_us: i64, to_us: i64, buckets: usize) {
        let buckets = buckets.min(BUCKETS_MAX);
        self.from_us = from_us;
        self.to_us = to_us;
        self.buckets = buckets;
        let length = to_us.saturating_sub(from_us).max(1);
        self.width_us =
            if buckets == 0 { 0 } else { length / buckets as i64 + i64::from(length % buckets as i64 != 0) };
    }

    fn bucket(&self, us: i64) -> Option<usize> {
        let index = us.checked_sub(self.from_us)?.div_euclid(self.width_us.max(1));
        usize::try_from(index).ok().filter(|index| *index < self.buckets)
    }
}

pub(super) fn received_buckets(
    view: &dyn SegmentView,
    matching: &Bitmap,
    frame: &HistogramRange,
) -> Vec<u64> {
    if frame.buckets == 0 {
        return Vec::new();
    }
    let edge = |index: usize| frame.from_us.saturating_add(frame.width_us.saturating_mul(index as i64));
    let edges: Vec<i64> = (0..=frame.buckets).map(edge).collect();
    let starts = view.received_edges(&edges);
    starts.windows(2).map(|pair| matching.count_range(pair[0]..pair[1])).collect()
}

pub(crate) fn event_buckets(
    view: &dyn SegmentView,
    matching: &Bitmap,
    frame: &HistogramRange,
) -> Result<Vec<u64>, ReadError> {
    let mut buckets = vec![0; frame.buckets];
    view.event_times(matching, &mut |_, us| {
        if let Some(index) = frame.bucket(us) {
            buckets[index] += 1;
        }
    })?;
    Ok(buckets)
}
