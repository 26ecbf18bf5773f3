//! The newest messages that match.
//!
//! In: bitmaps, newest segment first. Out: rows, newest first; those of several members in the order of time. Reads only the blocks that hold them; far apart,
//! they are read by several threads.

use super::{parallel, segment::Part};
use crate::{
    answer::{Row, Search, SearchError, Unread},
    browse,
    question::Query,
    space::{Seen, Space, member_of, place},
};
use std::cmp::Reverse;
use store::{Document, ReadError, Watch};

/// Most rows of an answer: they are all in memory at once.
pub const ROWS_MAX: usize = 10_000;
/// Rows that lie closer than this share blocks: a block of 128 KiB holds about that many messages.
const MESSAGES_A_BLOCK: u32 = 512;
/// Fewest rows for a piece of work of its own.
const ROWS_A_PIECE: usize = 8;
/// Pieces a thread: blocks cost unequally.
const PIECES_A_THREAD: usize = 4;

/// Neighbouring rows of one segment, descending.
type Piece = (usize, Vec<u32>);

pub(super) fn newest(
    space: &Space,
    views: &[Seen<'_>],
    parts: &[Part],
    query: &Query,
    search: &Search,
    unread: &mut Vec<Unread>,
) -> Result<Vec<Row>, SearchError> {
    let limit = search.limit.min(ROWS_MAX);
    let behind = Behind::of(space, search)?;
    let mut pieces: Vec<Piece> = Vec::new();
    let mut missing = vec![limit; space.members.len()];
    for (index, (seen, part)) in views.iter().zip(parts).enumerate() {
        let missing = &mut missing[seen.member];
        if *missing == 0 || part.count == 0 {
            continue;
        }
        let end = behind.end(seen);
        let ids: Vec<u32> = part.matching.iter_rev().skip_while(|id| *id >= end).take(*missing).collect();
        *missing -= ids.len();
        if !ids.is_empty() {
            pieces.extend(cut(index, &ids, search));
        }
    }
    let results = parallel::each(search.threads, pieces.len(), |piece| {
        let (index, ids) = &pieces[piece];
        read(views[*index], ids, query)
    });
    let mut rows = Vec::with_capacity(search.limit.min(1_024));
    for ((found, error), (index, _)) in results.into_iter().zip(&pieces) {
        rows.extend(found);
        if let Some(error) = error {
            unread.push(views[*index].unread(error)?);
        }
    }
    if space.members.len() > 1 {
        rows.sort_by_key(|row: &Row| Reverse(order(&row.document)));
        rows.truncate(limit);
    }
    Ok(rows)
}

/// The order of the rows of a space: by time, then by member, then as each received them.
pub(crate) fn order(document: &Document) -> (i64, u64) {
    (document.received_us, document.sequence)
}

/// Where the rows of an earlier answer ended.
enum Behind {
    /// There was none.
    Nothing,
    /// At a sequence number of the only member.
    Sequence(u64),
    /// At a time, in a member, at its sequence number.
    Row(i64, usize, u64),
}

impl Behind {
    fn of(space: &Space, search: &Search) -> Result<Behind, SearchError> {
        let Some(before) = search.before else { return Ok(Behind::Nothing) };
        if space.members.len() <= 1 {
            return Ok(Behind::Sequence(before));
        }
        let (member, sequence) = member_of(before);
        match browse::message(space, before, &Watch::unlimited())? {
            Some(found) => Ok(Behind::Row(found.document.received_us, member, sequence)),
            None => {
                let text = "the row that the list ended with is gone or locked: search again";
                Err(SearchError::Refused(text.to_owned()))
            }
        }
    }

    /// The first document of a segment that was shown already.
    fn end(&self, seen: &Seen<'_>) -> u32 {
        let id = |sequence: u64| {
            u32::try_from(sequence.saturating_sub(seen.view.first_sequence())).unwrap_or(u32::MAX)
        };
        match *self {
            Behind::Nothing => u32::MAX,
            Behind::Sequence(before) => id(before),
            Behind::Row(_, member, sequence) if seen.member == member => id(sequence),
            // Of the same time, the members before come behind in a list of the newest first.
            Behind::Row(at_us, member, _) => {
                let until = if seen.member < member { at_us.saturating_add(1) } else { at_us };
                seen.view.received_between(i64::MIN, until).end
            }
        }
    }
}

/// Cuts rows that are far apart into pieces for several threads.
fn cut(segment: usize, ids: &[u32], search: &Search) -> Vec<Piece> {
    let span = ids.first().zip(ids.last()).map_or(0, |(newest, oldest)| newest - oldest);
    let pieces = search.threads * PIECES_A_THREAD;
    if search.threads <= 1 || span < MESSAGES_A_BLOCK * pieces as u32 {
        return vec![(segment, ids.to_vec())];
    }
    let length = ids.len().div_ceil(pieces).max(ROWS_A_PIECE);
    ids.chunks(length).map(|ids| (segment, ids.to_vec())).collect()
}

/// Reads rows, once they are chosen, without time limit: they are few. Gives those before an error, too; behind a
/// damaged block the others are still read.
fn read(seen: Seen<'_>, ids: &[u32], query: &Query) -> (Vec<Row>, Option<ReadError>) {
    let mut rows = Vec::with_capacity(ids.len());
    let mut first_error = None;
    let mut rest = ids;
    while !rest.is_empty() {
        let before = rows.len();
        let read = seen.view.read(&mut rest.iter().copied(), &Watch::unlimited(), &mut |_, document| {
            let highlights = query.highlights(&document.text);
            let mut document = document.clone();
            document.sequence = place(seen.member, document.sequence);
            rows.push(Row { document, highlights });
            true
        });
        let Err(error) = read else { break };
        first_error.get_or_insert(error);
        rest = rest.get(rows.len() - before + 1..).unwrap_or_default();
    }
    (rows, first_error)
}
