//! The newest messages that match.
//!
//! In: bitmaps, newest segment first. Out: rows, newest first. Reads only the blocks that hold them; far apart,
//! they are read by several threads.

use super::{parallel, segment::Part};
use crate::{
    answer::{Row, Search, SearchError, Unread},
    question::Query,
};
use store::{ReadError, SegmentView, Watch};

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
    views: &[&dyn SegmentView],
    parts: &[Part],
    query: &Query,
    search: &Search,
    unread: &mut Vec<Unread>,
) -> Result<Vec<Row>, SearchError> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut missing = search.limit.min(ROWS_MAX);
    for (index, (view, part)) in views.iter().zip(parts).enumerate() {
        if missing == 0 {
            break;
        }
        let end = search.before.unwrap_or(u64::MAX).saturating_sub(view.first_sequence());
        let ids = part.matching.iter_rev().skip_while(|id| u64::from(*id) >= end);
        let ids: Vec<u32> = if part.count == 0 { Vec::new() } else { ids.take(missing).collect() };
        missing -= ids.len();
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
            unread.push(Unread::of(views[*index], error)?);
        }
    }
    Ok(rows)
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
fn read(view: &dyn SegmentView, ids: &[u32], query: &Query) -> (Vec<Row>, Option<ReadError>) {
    let mut rows = Vec::with_capacity(ids.len());
    let mut first_error = None;
    let mut rest = ids;
    while !rest.is_empty() {
        let before = rows.len();
        let read = view.read(&mut rest.iter().copied(), &Watch::unlimited(), &mut |_, document| {
            let highlights = query.highlights(&document.text);
            rows.push(Row { document: document.clone(), highlights });
            true
        });
        let Err(error) = read else { break };
        first_error.get_or_insert(error);
        rest = rest.get(rows.len() - before + 1..).unwrap_or_default();
    }
    (rows, first_error)
}
