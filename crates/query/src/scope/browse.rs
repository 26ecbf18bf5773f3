//! Browses a scope: one message, its neighbours, the columns.
//!
//! In: the number of a row. Out: documents; neighbours are of the same member, within its boundary.
//! Limits: [`NEIGHBOURS_MAX`] on each side.

use crate::{
    answer::SearchError,
    condition::{Condition, ValueTest, matcher},
    language::words,
    memory::{MemoryBudget, MemoryPermit, document_bytes},
    plan,
    scope::{SearchScope, boundary, member_of, row_number},
};
use lookup::{CancelToken, Column, ColumnUse, Document, Pattern, ReadError, SegmentView, Snapshot};
use std::{collections::HashMap, ops::Range};

/// Most neighbours on one side of a message.
pub const NEIGHBOURS_MAX: usize = 10_000;

/// The property that the neighbours of a message must share with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Same {
    /// Nothing: all messages in the order they were received.
    #[default]
    None,
    /// The host.
    Host,
    /// The source statement and the address of the last hop, and the host: one sender's stream.
    Source,
}

/// The amount of context around a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Near {
    /// Messages before it.
    pub before: usize,
    /// Messages after it.
    pub after: usize,
    /// The property that they share with it.
    pub same: Same,
}

/// One message with the positions of the tokens in its text.
#[derive(Clone, Debug)]
pub struct TokenizedMessage {
    /// The message.
    pub document: Document,
    /// Byte ranges of the tokens of its text.
    pub tokens: Vec<Range<usize>>,
}

/// The message with a number, if the scope shows it.
pub fn message(
    space: &SearchScope,
    number: u64,
    cancel: &CancelToken,
) -> Result<Option<TokenizedMessage>, SearchError> {
    let (member, sequence) = member_of(number);
    let Some(snapshot) = space.members.get(member).map(|member| &member.snapshot) else {
        return Ok(None);
    };
    let Some((index, id)) = find(snapshot, sequence) else {
        return Ok(None);
    };
    let mut memory = MemoryBudget::unlimited().permit("message");
    let mut documents = read(snapshot.segments[index].as_ref(), &[id], cancel, &mut memory)?;
    documents.iter_mut().for_each(|document| document.sequence = number);
    Ok(documents.pop().map(|document| {
        let mut tokens = Vec::new();
        words::tokens(&document.text, &mut |range| tokens.push(range));
        TokenizedMessage { document, tokens }
    }))
}

/// Returns the message with a number between its neighbours, oldest first; empty when there is no such message.
/// `memory` is the permit for them and must live as long as they do.
pub fn context(
    space: &SearchScope,
    number: u64,
    near: Near,
    cancel: &CancelToken,
    memory: &mut MemoryPermit,
) -> Result<Vec<Document>, SearchError> {
    let Near { before, after, same } = near;
    let (member, sequence) = member_of(number);
    let Some(snapshot) = space.members.get(member).map(|member| member.snapshot.as_ref()) else {
        return Ok(Vec::new());
    };
    let Some((index, id)) = find(snapshot, sequence) else {
        return Ok(Vec::new());
    };
    let anchor = read(snapshot.segments[index].as_ref(), &[id], cancel, memory)?;
    let Some(document) = anchor.first() else {
        return Ok(Vec::new());
    };
    let condition = likeness(document, same);
    let older = (0..=index).rev().map(|at| (at, if at == index { 0..id } else { 0..u32::MAX }));
    let mut walk = Walk { snapshot, condition: &condition, cancel, memory };
    let mut documents = walk.next(older, before, Direction::Back)?;
    documents.reverse();
    documents.extend(anchor);
    let newer = (index..snapshot.segments.len())
        .map(|at| (at, if at == index { id + 1..u32::MAX } else { 0..u32::MAX }));
    documents.extend(walk.next(newer, after, Direction::Forward)?);
    documents.iter_mut().for_each(|document| document.sequence = row_number(member, document.sequence));
    Ok(documents)
}

/// The columns of a scope, the most used first. Segments that cannot be read are left out.
pub fn columns(space: &SearchScope, cancel: &CancelToken) -> Result<Vec<ColumnUse>, SearchError> {
    let mut sums: HashMap<Column, ColumnUse> = HashMap::new();
    for view in space.members.iter().flat_map(|member| &member.snapshot.segments) {
        let found = match boundary::columns(view.as_ref(), cancel) {
            Err(error @ ReadError::Stopped(_)) => return Err(error.into()),
            found => found.unwrap_or_default(),
        };
        for used in found {
            match sums.get_mut(&used.column) {
                Some(sum) => {
                    sum.documents += used.documents;
                    sum.numeric &= used.numeric;
                }
                None => {
                    sums.insert(used.column.clone(), used);
                }
            }
        }
    }
    let mut columns: Vec<ColumnUse> = sums.into_values().filter(|used| used.documents > 0).collect();
    let name = |used: &ColumnUse| crate::language::fields::column_name(&used.column).to_owned();
    columns.sort_by(|a, b| b.documents.cmp(&a.documents).then_with(|| name(a).cmp(&name(b))));
    Ok(columns)
}

/// The size of a scope and its range of times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extent {
    /// Messages.
    pub messages: u64,
    /// Received times of the first and the last, microseconds since 1970; none when there is no message.
    pub received_us: Option<(i64, i64)>,
}

/// Returns the extent of a scope. Segments that cannot be read are left out.
pub fn extent(space: &SearchScope, cancel: &CancelToken) -> Result<Extent, SearchError> {
    let mut extent = Extent::default();
    for view in space.members.iter().flat_map(|member| &member.snapshot.segments) {
        let of_segment = || {
            let range = boundary::received_range(view.as_ref(), cancel)?;
            Ok((boundary::count(view.as_ref(), cancel)?, range))
        };
        let (count, range) = match of_segment() {
            Err(error @ ReadError::Stopped(_)) => return Err(error.into()),
            found => found.unwrap_or_default(),
        };
        extent.messages += count;
        let Some((first, last)) = range.filter(|_| count > 0) else { continue };
        let (from, to) = extent.received_us.unwrap_or((first, last));
        extent.received_us = Some((from.min(first), to.max(last)));
    }
    Ok(extent)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Back,
    Forward,
}

/// Segment and document of a sequence number.
fn find(snapshot: &Snapshot, sequence: u64) -> Option<(usize, u32)> {
    snapshot.segments.iter().enumerate().find_map(|(index, view)| {
        let id = u32::try_from(sequence.checked_sub(view.first_sequence())?).ok()?;
        (id < view.len()).then_some((index, id))
    })
}

fn read(
    view: &dyn SegmentView,
    ids: &[u32],
    cancel: &CancelToken,
    memory: &mut MemoryPermit,
) -> Result<Vec<Document>, SearchError> {
    let mut documents = Vec::with_capacity(ids.len());
    let mut granted = Ok(());
    view.read(&mut ids.iter().copied(), cancel, &mut |_, document| {
        granted = memory.grow(document_bytes(document));
        if granted.is_ok() {
            documents.push(document.clone());
        }
        granted.is_ok()
    })?;
    granted?;
    Ok(documents)
}

/// A walk away from a message.
struct Walk<'a> {
    snapshot: &'a Snapshot,
    condition: &'a Condition,
    cancel: &'a CancelToken,
    memory: &'a mut MemoryPermit,
}

impl Walk<'_> {
    /// Returns the next documents that meet the condition, walking away from the start of the ranges.
    fn next(
        &mut self,
        ranges: impl Iterator<Item = (usize, Range<u32>)>,
        count: usize,
        direction: Direction,
    ) -> Result<Vec<Document>, SearchError> {
        let count = count.min(NEIGHBOURS_MAX);
        let mut documents = Vec::new();
        for (index, range) in ranges {
            if documents.len() >= count {
                break;
            }
            let view = self.snapshot.segments[index].as_ref();
            let mut within = lookup::Bitmap::none(view.len());
            within.add_range(range);
            let matching = plan::matching(view, self.condition, Some(&within), self.cancel)?;
            let missing = count - documents.len();
            let ids: Vec<u32> = match direction {
                Direction::Back => matching.iter_rev().take(missing).collect(),
                Direction::Forward => matching.iter().take(missing).collect(),
            };
            documents.extend(read(view, &ids, self.cancel, self.memory)?);
        }
        Ok(documents)
    }
}

/// Returns the condition that a neighbour must match.
fn likeness(document: &Document, same: Same) -> Condition {
    let columns: &[Column] = match same {
        Same::None => &[],
        Same::Host => &[Column::Host],
        Same::Source => &[Column::Source, Column::Peer, Column::Host],
    };
    let tests = columns.iter().map(|column| {
        let mut value = None;
        matcher::any_value(document, column, &mut |found| {
            value = Some(found.to_vec());
            true
        });
        let test = |pattern| Condition::Value(column.clone(), ValueTest::Pattern(pattern));
        match value {
            Some(value) => test(Pattern::CaseExact(value)),
            None => Condition::not(test(Pattern::Any)),
        }
    });
    Condition::and(tests.collect())
}

#[cfg(test)]
mod tests;
