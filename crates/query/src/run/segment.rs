//! One segment's part of an answer.
//!
//! In: the condition, the time range. Out: the bitmap of what matches, counted, also over time.

use crate::{
    answer::{Clock, Search},
    boundary,
    condition::Condition,
    plan,
    space::Seen,
};
use lookup::{Bitmap, ReadError, SegmentView};
use std::ops::Range;

/// The time range of an answer, cut into bars.
#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) from_us: i64,
    pub(crate) to_us: i64,
    pub(super) width_us: i64,
    /// Number of bars; 0 when there is nothing to count.
    pub(super) bars: usize,
}

impl Frame {
    /// The range that a search names; where it names none, that of the messages that may be seen.
    pub(crate) fn new(views: &[Seen<'_>], search: &Search) -> Result<Frame, ReadError> {
        let (mut first, mut last) = (None, None);
        if search.from_us.is_none() || search.to_us.is_none() {
            for seen in views {
                // What cannot be read is said where it is searched.
                let range = match boundary::received_range(seen.view, &search.cancel) {
                    Err(error @ ReadError::Stopped(_)) => return Err(error),
                    range => range.ok().flatten(),
                };
                let Some((from, to)) = range else { continue };
                first = Some(first.map_or(from, |first: i64| first.min(from)));
                last = Some(last.map_or(to, |last: i64| last.max(to)));
            }
        }
        let mut frame = Frame { from_us: 0, to_us: 0, width_us: 0, bars: 0 };
        let from = search.from_us.or(first).or(search.to_us).unwrap_or(0);
        let to = search.to_us.or(last.map(|last| last.saturating_add(1))).unwrap_or(from);
        frame.set_range(from, to.max(from), search.bars);
        Ok(frame)
    }

    pub(super) fn set_range(&mut self, from_us: i64, to_us: i64, bars: usize) {
        let bars = bars.min(super::BARS_MAX);
        self.from_us = from_us;
        self.to_us = to_us;
        self.bars = bars;
        let length = to_us.saturating_sub(from_us).max(1);
        self.width_us =
            if bars == 0 { 0 } else { length / bars as i64 + i64::from(length % bars as i64 != 0) };
    }

    fn bar(&self, us: i64) -> Option<usize> {
        let index = us.checked_sub(self.from_us)?.div_euclid(self.width_us.max(1));
        usize::try_from(index).ok().filter(|index| *index < self.bars)
    }
}

pub(super) struct Part {
    /// The matching documents.
    pub(super) matching: Bitmap,
    /// Number of matching documents.
    pub(super) count: u64,
    /// Documents in the time range.
    pub(super) scanned: u64,
    pub(super) bars: Vec<u64>,
    /// First and last event time of the matches, when the search leaves an end of the range open.
    pub(super) event_range: Option<(i64, i64)>,
}

impl Part {
    /// Returns the part of a segment of `length` documents in which nothing matches.
    pub(super) fn empty(length: u32) -> Part {
        Part { matching: Bitmap::none(length), count: 0, scanned: 0, bars: Vec::new(), event_range: None }
    }
}

pub(super) fn run(
    seen: Seen<'_>,
    condition: &Condition,
    search: &Search,
    frame: &Frame,
) -> Result<Part, ReadError> {
    search.cancel.check()?;
    let view = seen.view;
    let (matching, scanned) = matching(seen, condition, search)?;
    let mut part = Part { count: matching.count(), matching, scanned, bars: Vec::new(), event_range: None };
    if part.count == 0 {
        return Ok(part);
    }
    match search.clock {
        Clock::Received => part.bars = received_bars(view, &part.matching, frame),
        Clock::Event if search.from_us.is_none() || search.to_us.is_none() => {
            let (mut first, mut last) = (i64::MAX, i64::MIN);
            view.event_times(&part.matching, &mut |_, us| {
                first = first.min(us);
                last = last.max(us);
            })?;
            part.event_range = Some((first, last));
        }
        Clock::Event => part.bars = event_bars(view, &part.matching, frame)?,
    }
    Ok(part)
}

/// Returns the matches and the number of documents in the time range.
pub(crate) fn matching(
    seen: Seen<'_>,
    condition: &Condition,
    search: &Search,
) -> Result<(Bitmap, u64), ReadError> {
    let asked = asked(seen, search)?;
    match asked.count {
        0 => Ok((Bitmap::none(seen.view.len()), 0)),
        count => {
            let within = asked.within.as_ref();
            Ok((plan::matching(seen.view, condition, within, &search.cancel)?, count))
        }
    }
}

/// The documents of a segment that a search asks of.
pub(super) struct Asked {
    /// None: all of them.
    pub(super) within: Option<Bitmap>,
    pub(super) count: u64,
}

/// The documents that lie in the time range, in the snapshot, and within the boundary.
pub(super) fn asked(seen: Seen<'_>, search: &Search) -> Result<Asked, ReadError> {
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
        return Ok(Asked { within: None, count: 0 });
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
    Ok(Asked { within, count })
}

fn received_bars(view: &dyn SegmentView, matching: &Bitmap, frame: &Frame) -> Vec<u64> {
    if frame.bars == 0 {
        return Vec::new();
    }
    let edge = |index: usize| frame.from_us.saturating_add(frame.width_us.saturating_mul(index as i64));
    let edges: Vec<i64> = (0..=frame.bars).map(edge).collect();
    let starts = view.received_edges(&edges);
    starts.windows(2).map(|pair| matching.count_range(pair[0]..pair[1])).collect()
}

pub(super) fn event_bars(
    view: &dyn SegmentView,
    matching: &Bitmap,
    frame: &Frame,
) -> Result<Vec<u64>, ReadError> {
    let mut bars = vec![0; frame.bars];
    view.event_times(matching, &mut |_, us| {
        if let Some(index) = frame.bar(us) {
            bars[index] += 1;
        }
    })?;
    Ok(bars)
}
