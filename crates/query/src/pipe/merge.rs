//! Merges the messages of several members into one order, newest first.
//!
//! In: the matches in each segment. Out: rows. Holds: a few rows of each member.
//! Limits: [`AHEAD`] rows per member are read ahead, fewer when they are long: [`AHEAD_BYTES`].

use super::run::Run;
use crate::{
    answer::SearchError,
    matches::order,
    memory::{MemoryPermit, document_bytes},
};
use lookup::{Bitmap, Document};
use std::{borrow::Cow, collections::VecDeque};

/// Rows of a member that are read at a time: about a block.
const AHEAD: usize = 512;
/// Bytes of a member's rows after which reading ahead stops.
const AHEAD_BYTES: usize = 512 << 10;

/// The unread rest of a member.
struct Source<'a> {
    /// Its segments, newest first, as indexes into those of the run.
    segments: VecDeque<usize>,
    open: Option<(usize, Cow<'a, Bitmap>, u32)>,
    rows: VecDeque<Document>,
    /// Memory for `rows`.
    memory: MemoryPermit,
    bytes: usize,
}

/// Passes every matching message to `visit`, newest first, until it returns false.
pub(super) fn each(
    run: &Run<'_>,
    visit: &mut dyn FnMut(Document) -> Result<bool, SearchError>,
) -> Result<(), SearchError> {
    let mut sources: Vec<Source<'_>> = (0..run.space.members.len())
        .map(|member| {
            let own = run.views.iter().enumerate().filter(|(_, seen)| seen.member == member);
            let segments = own.map(|(index, _)| index).collect();
            let memory = run.search.memory.permit("rows");
            Source { segments, open: None, rows: VecDeque::new(), memory, bytes: 0 }
        })
        .collect();
    loop {
        for source in &mut sources {
            source.fill(run)?;
        }
        let newest = sources.iter_mut().filter(|source| !source.rows.is_empty());
        let Some(source) = newest.max_by_key(|source| source.rows.front().map(order)) else {
            return Ok(());
        };
        let Some(row) = source.rows.pop_front() else { return Ok(()) };
        if !visit(row)? {
            return Ok(());
        }
    }
}

impl Source<'_> {
    /// Reads more rows when none are left.
    fn fill<'a>(&mut self, run: &Run<'a>) -> Result<(), SearchError> {
        while self.rows.is_empty() {
            let Some((index, found, end)) = self.open.take() else {
                let Some(index) = self.segments.pop_front() else { return Ok(()) };
                if let Some(found) = run.found(index)? {
                    self.open = Some((index, Cow::Owned(found.into_owned()), u32::MAX));
                }
                continue;
            };
            let ids: Vec<u32> = found.iter_rev().skip_while(|id| *id >= end).take(AHEAD).collect();
            self.memory.shrink(std::mem::take(&mut self.bytes));
            let Some(mut last) = ids.last().copied() else { continue };
            let (rows, memory, bytes) = (&mut self.rows, &mut self.memory, &mut self.bytes);
            let mut left = ids.into_iter();
            run.read(index, &mut left, &mut |row| {
                let size = document_bytes(&row);
                memory.grow(size)?;
                *bytes += size;
                rows.push_back(row);
                Ok(*bytes < AHEAD_BYTES)
            })?;
            if let Some(next) = left.next() {
                // The earlier ones were read or reported.
                last = next + 1;
            }
            self.open = Some((index, found, last));
        }
        Ok(())
    }
}
