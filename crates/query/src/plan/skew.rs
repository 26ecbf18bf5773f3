//! Evaluates received minus event time without reading documents.
//!
//! In: a range of differences. Out: the documents within it. Received times are known by slices of the segment, so
//! a document whose difference is within a slice of an end of the range stays undecided.

use super::{Plan, known::Known};
use crate::condition::Condition;
use lookup::{Bitmap, ReadError};

/// Slices of a segment's time: about a second each for an hour.
const SLICES: i64 = 4_096;

impl Plan<'_> {
    pub(super) fn skew<'c>(
        &self,
        condition: &'c Condition,
        from: i64,
        to: i64,
        within: Option<&Bitmap>,
    ) -> Result<Known<'c>, ReadError> {
        let (mut upper, mut lower) = (self.none(), self.none());
        if self.view.is_empty() {
            return Ok(Known::exact(upper));
        }
        let (first, last) = self.view.received_range();
        let width = (last - first) / SLICES + 1;
        let edges: Vec<i64> = (0..=SLICES).map(|slice| first + slice * width).collect();
        let starts = self.view.received_edges(&edges);
        let all;
        let documents = match within {
            Some(within) => within,
            None => {
                all = self.all();
                &all
            }
        };
        let mut slice = 0;
        self.view.event_times(documents, &mut |id, event_us| {
            while starts.get(slice + 1).is_some_and(|next| *next <= id) {
                slice += 1;
            }
            let earliest = edges[slice.min(edges.len() - 1)];
            let latest = (earliest + width - 1).min(last);
            let (least, most) = (earliest.saturating_sub(event_us), latest.saturating_sub(event_us));
            if most >= from && least < to {
                upper.add(id);
                if least >= from && most < to {
                    lower.add(id);
                }
            }
        })?;
        Ok(Known::undecided(upper, Some(lower), condition))
    }
}
