//! Rows that are gathered into requests.
//!
//! In: rows, each for a group. Out: requests that are full or have waited long enough. Holds: one request for each group
//! that has rows. Limits: those of a request; the caller bounds the rows.

use super::row_source::RowSource;
use receivers::contract::{RequestLimits, Row};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// A request that may grow.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) group: Arc<str>,
    /// The lane of all its rows.
    pub(super) lane: Option<u64>,
    pub(super) rows: Vec<Row>,
    pub(super) sources: Vec<RowSource>,
    bytes: usize,
    held_bytes: usize,
    since: Instant,
}

/// The requests that may grow, in the order in which they were started.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    open: Vec<Open>,
}

impl Gathering {
    /// Adds a row. Returns requests that are full: one that cannot take the row, and the row's own.
    pub(super) fn add(
        &mut self,
        group: &str,
        row: Row,
        source: RowSource,
        limits: &RequestLimits,
        now: Instant,
    ) -> Vec<Open> {
        let mut full = Vec::new();
        let size = row.payload();
        let has_no_room = |open: &Open| limits.bytes > 0 && open.bytes + size > limits.bytes;
        let mut found = self.open.iter().position(|open| &*open.group == group && open.lane == source.lane);
        if let Some(at) = found.filter(|at| has_no_room(&self.open[*at])) {
            full.push(self.open.remove(at));
            found = None;
        }
        let at = found.unwrap_or_else(|| {
            let (rows, sources) = (Vec::new(), Vec::new());
            let (group, lane) = (Arc::from(group), source.lane);
            self.open.push(Open { group, lane, rows, sources, bytes: 0, held_bytes: 0, since: now });
            self.open.len() - 1
        });
        let open = &mut self.open[at];
        open.bytes += size;
        open.held_bytes += source.held_bytes;
        open.rows.push(row);
        open.sources.push(source);
        if open.rows.len() >= limits.rows.max(1) {
            full.push(self.open.remove(at));
        }
        full
    }

    /// Takes the request that was started first.
    pub(super) fn take_first(&mut self) -> Option<Open> {
        (!self.open.is_empty()).then(|| self.open.remove(0))
    }

    /// Takes the requests that have waited so long at a time.
    pub(super) fn take_due(&mut self, wait: Duration, now: Instant) -> Vec<Open> {
        let is_due = |open: &mut Open| open.since + wait <= now;
        self.open.extract_if(.., is_due).collect()
    }

    /// Takes the request with the most bytes.
    pub(super) fn take_largest(&mut self) -> Option<Open> {
        let sizes = self.open.iter().enumerate().map(|(at, open)| (open.bytes, open.rows.len(), at));
        let (_, _, at) = sizes.max()?;
        Some(self.open.remove(at))
    }

    /// Returns when the first request has waited long enough.
    pub(super) fn next_due(&self, limits: &RequestLimits) -> Option<Instant> {
        let wait = limits.wait.unwrap_or_default();
        self.open.iter().map(|open| open.since + wait).min()
    }

    pub(super) fn rows(&self) -> usize {
        self.open.iter().map(|open| open.rows.len()).sum()
    }

    pub(super) fn bytes(&self) -> usize {
        self.open.iter().map(|open| open.bytes).sum()
    }

    pub(super) fn held_bytes(&self) -> usize {
        self.open.iter().map(|open| open.held_bytes).sum()
    }
}

#[cfg(test)]
mod tests;
