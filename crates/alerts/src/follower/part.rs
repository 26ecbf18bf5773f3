//! Finds what comes next in a logspace.
//!
//! In: a snapshot of its segments, a sequence number. Out: the messages from that number on, or the reason why they cannot
//! be read. Holds nothing.

use crate::store::{Gap, GapReason};
use lookup::{Locked, SegmentView, Snapshot};
use std::{ops::Range, sync::Arc};

/// The messages that come next, or the reason why there are none.
pub(super) enum NextMessages<'a> {
    /// Nothing: everything that is visible was read.
    End,
    /// Messages that are still being read back from the journal.
    Starting,
    /// Messages that cannot be read.
    Gap(Gap),
    /// Documents of a segment.
    Segment(&'a Arc<dyn SegmentView>, Range<u32>),
}

/// Returns what follows in a snapshot from a sequence number on.
pub(super) fn next_part(snapshot: &Snapshot, cursor: u64) -> NextMessages<'_> {
    let segments = &snapshot.segments;
    debug_assert!(segments.is_sorted_by_key(|segment| segment.first_sequence()), "segments in receive order");
    let after = segments.partition_point(|segment| segment.first_sequence() <= cursor);
    if let Some(segment) = after.checked_sub(1).map(|last| &segments[last]) {
        let read = cursor - segment.first_sequence();
        if read < u64::from(segment.len()) {
            return NextMessages::Segment(segment, read as u32..segment.len());
        }
    }
    let next = segments.get(after);
    let mut end = next.map_or(snapshot.sequence, |segment| segment.first_sequence());
    if let Some(starting) = snapshot.starting {
        if cursor >= starting.first {
            return NextMessages::Starting;
        }
        end = end.min(starting.first);
    }
    if end <= cursor {
        return NextMessages::End;
    }
    let next_us = next.map_or(i64::MIN, |segment| segment.received_range().0);
    NextMessages::Gap(gap(snapshot, cursor..end, next_us))
}

/// Returns the first part of what cannot be read, with the reason.
fn gap(snapshot: &Snapshot, numbers: Range<u64>, next_us: i64) -> Gap {
    let lists = [
        (&snapshot.locked, GapReason::Locked),
        (&snapshot.away, GapReason::Away),
        (&snapshot.damaged, GapReason::Damaged),
        (&snapshot.lost, GapReason::Lost),
    ];
    let known = || lists.iter().flat_map(|(extents, reason)| extents.iter().map(|extent| (extent, *reason)));
    let end_of = |extent: &Locked| extent.first + extent.count;
    let here = known().find(|(extent, _)| extent.first <= numbers.start && numbers.start < end_of(extent));
    if let Some((extent, reason)) = here {
        let to = end_of(extent).min(numbers.end);
        return Gap { from: numbers.start, to, received_us: extent.received_us, reason };
    }
    let next_known = known().map(|(extent, _)| extent.first).filter(|first| *first > numbers.start).min();
    let to = next_known.map_or(numbers.end, |first| first.min(numbers.end));
    // The time before it is the one that the rules have reached.
    Gap { from: numbers.start, to, received_us: (i64::MIN, next_us), reason: GapReason::Removed }
}
