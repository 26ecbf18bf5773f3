//! A run of a query over a scope: its segments, and the messages that match.
//!
//! In: a scope, a query, a time range. Out: messages of a segment. Holds: the messages that could not be read.
//! Limits: the cancel token.

use crate::{
    answer::{Search, SearchError, Unread},
    matches::{HistogramRange, Matches, locked, matching},
    question::Query,
    scope::{SearchScope, VisibleSegment, row_number},
};
use lookup::{Bitmap, Document, ReadError};
use std::{
    borrow::Cow,
    sync::{Mutex, PoisonError},
};

pub(super) struct Run<'a> {
    pub(super) space: &'a SearchScope,
    pub(super) query: &'a Query,
    pub(super) search: Search,
    /// Newest first.
    pub(super) views: Vec<VisibleSegment<'a>>,
    pub(super) frame: HistogramRange,
    /// The matches, if already known.
    pub(super) known: Option<&'a Matches<'a>>,
    /// Shift of the time range into the past, for a comparison, in microseconds.
    pub(super) earlier_us: i64,
    /// Messages that could not be read.
    pub(super) unread: Mutex<Vec<Unread>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        space: &'a SearchScope,
        query: &'a Query,
        search: &Search,
        earlier_us: i64,
    ) -> Result<Run<'a>, SearchError> {
        let mut search = Search { buckets: 0, ..search.clone() };
        if earlier_us != 0 {
            search.from_us = search.from_us.map(|us| us.saturating_sub(earlier_us));
            search.to_us = search.to_us.map(|us| us.saturating_sub(earlier_us));
        }
        let views = space.visible(&search);
        let frame = HistogramRange::new(&views, &search)?;
        let unread = Mutex::new(locked(space, &search));
        Ok(Run { space, query, search, views, frame, known: None, earlier_us, unread })
    }

    /// Records that a segment could not be read; fails when the run must end.
    pub(super) fn miss(&self, seen: VisibleSegment<'_>, error: ReadError) -> Result<(), SearchError> {
        let missed = seen.unread(error)?;
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        if !unread.contains(&missed) {
            unread.push(missed);
        }
        Ok(())
    }

    /// Returns true if messages of a segment could not be read.
    pub(super) fn has_missed(&self, seen: VisibleSegment<'_>) -> bool {
        let unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        let range = seen.view.received_range();
        unread.iter().any(|missed| missed.member == seen.member && missed.received_us == range)
    }

    /// Reads messages of a segment, including those after a damaged position. Returns true while more are wanted.
    pub(super) fn read(
        &self,
        index: usize,
        ids: &mut dyn Iterator<Item = u32>,
        visit: &mut dyn FnMut(Document) -> Result<bool, SearchError>,
    ) -> Result<bool, SearchError> {
        let seen = self.views[index];
        let mut more = true;
        while more {
            let mut failure = None;
            let done = seen.view.read(ids, &self.search.cancel, &mut |_, document| {
                let mut row = document.clone();
                row.sequence = row_number(seen.member, row.sequence);
                match visit(row) {
                    Ok(wanted) => more = wanted,
                    Err(error) => {
                        failure = Some(error);
                        more = false;
                    }
                }
                more
            });
            if let Some(error) = failure {
                return Err(error);
            }
            match done {
                Ok(()) => break,
                // The document that could not be read is already removed from the list.
                Err(error) => self.miss(seen, error)?,
            }
        }
        Ok(more)
    }

    /// Returns the matches in a segment; none when it cannot be read.
    pub(super) fn found(&self, index: usize) -> Result<Option<Cow<'a, Bitmap>>, SearchError> {
        self.search.cancel.check()?;
        if let Some(known) = self.known {
            return Ok(known.matching(index).map(Cow::Borrowed));
        }
        match matching(self.views[index], self.query, &self.search) {
            Ok((found, _)) => Ok(Some(Cow::Owned(found))),
            Err(error) => self.miss(self.views[index], error).map(|()| None),
        }
    }
}
