//! Looks around in a snapshot: one message, its neighbours, the columns there are.
//!
//! In: a sequence number. Out: documents. Limits: [`NEIGHBOURS_MAX`] a side.

use crate::{
    answer::SearchError,
    condition::{Condition, ValueTest},
    matcher, plan, words,
};
use std::{collections::HashMap, ops::Range};
use store::{Column, ColumnUse, Document, Pattern, SegmentView, Snapshot, Watch};

/// Most neighbours on one side of a message.
pub const NEIGHBOURS_MAX: usize = 10_000;

/// What the neighbours of a message have in common with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Same {
    /// Nothing: all messages in the order received.
    #[default]
    None,
    /// The host.
    Host,
    /// The source statement and the address of the last hop, and the host: one sender's stream.
    Source,
}

/// One message with the places of its tokens in its text.
#[derive(Clone, Debug)]
pub struct Found {
    /// The message.
    pub document: Document,
    /// Byte ranges of the tokens of its text.
    pub tokens: Vec<Range<usize>>,
}

/// The message with a sequence number, if the snapshot holds it.
pub fn message(snapshot: &Snapshot, sequence: u64, watch: &Watch) -> Result<Option<Found>, SearchError> {
    let Some((index, id)) = find(snapshot, sequence) else {
        return Ok(None);
    };
    let mut documents = read(snapshot.segments[index].as_ref(), &[id], watch)?;
    Ok(documents.pop().map(|document| {
        let mut tokens = Vec::new();
        words::tokens(&document.text, &mut |range| tokens.push(range));
        Found { document, tokens }
    }))
}

/// The message with a sequence number between its neighbours, oldest first; empty when there is no such message.
pub fn context(
    snapshot: &Snapshot,
    sequence: u64,
    before: usize,
    after: usize,
    same: Same,
    watch: &Watch,
) -> Result<Vec<Document>, SearchError> {
    let Some((index, id)) = find(snapshot, sequence) else {
        return Ok(Vec::new());
    };
    let anchor = read(snapshot.segments[index].as_ref(), &[id], watch)?;
    let Some(document) = anchor.first() else {
        return Ok(Vec::new());
    };
    let condition = likeness(document, same);
    let older = (0..=index).rev().map(|at| (at, if at == index { 0..id } else { 0..u32::MAX }));
    let mut documents = walk(snapshot, older, &condition, before, Direction::Back, watch)?;
    documents.reverse();
    documents.extend(anchor);
    let newer = (index..snapshot.segments.len())
        .map(|at| (at, if at == index { id + 1..u32::MAX } else { 0..u32::MAX }));
    documents.extend(walk(snapshot, newer, &condition, after, Direction::Forward, watch)?);
    Ok(documents)
}

/// The columns of a snapshot, the most used first.
pub fn columns(snapshot: &Snapshot) -> Vec<ColumnUse> {
    let mut sums: HashMap<Column, ColumnUse> = HashMap::new();
    for used in snapshot.segments.iter().flat_map(|view| view.columns()) {
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
    let mut columns: Vec<ColumnUse> = sums.into_values().filter(|used| used.documents > 0).collect();
    let name = |used: &ColumnUse| crate::fields::column_name(&used.column).to_owned();
    columns.sort_by(|a, b| b.documents.cmp(&a.documents).then_with(|| name(a).cmp(&name(b))));
    columns
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

fn read(view: &dyn SegmentView, ids: &[u32], watch: &Watch) -> Result<Vec<Document>, SearchError> {
    let mut documents = Vec::with_capacity(ids.len());
    view.read(&mut ids.iter().copied(), watch, &mut |_, document| {
        documents.push(document.clone());
        true
    })?;
    Ok(documents)
}

/// The next documents that meet a condition, walking away from where the ranges start.
fn walk(
    snapshot: &Snapshot,
    ranges: impl Iterator<Item = (usize, Range<u32>)>,
    condition: &Condition,
    count: usize,
    direction: Direction,
    watch: &Watch,
) -> Result<Vec<Document>, SearchError> {
    let count = count.min(NEIGHBOURS_MAX);
    let mut documents = Vec::new();
    for (index, range) in ranges {
        if documents.len() >= count {
            break;
        }
        let view = snapshot.segments[index].as_ref();
        let mut within = store::Bitmap::none(view.len());
        within.add_range(range);
        let matching = plan::matching(view, condition, Some(&within), watch)?;
        let missing = count - documents.len();
        let ids: Vec<u32> = match direction {
            Direction::Back => matching.iter_rev().take(missing).collect(),
            Direction::Forward => matching.iter().take(missing).collect(),
        };
        documents.extend(read(view, &ids, watch)?);
    }
    Ok(documents)
}

/// What must hold of a neighbour.
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
