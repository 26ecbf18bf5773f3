//! The newest messages that match: chosen first, read on demand.
//!
//! In: bitmaps, newest segment first. Out: rows, newest first; those of several members in the order of time. Reads
//! only the blocks that contain them; the first rows, if far apart, are read by several threads.
//! Holds: the numbers of the rows, and those of them that were read ahead: [`AHEAD_BYTES_MAX`], then [`STEP_BYTES`].

use crate::{
    answer::{Row, Search, SearchError, Unread},
    matches::{Matches, order, parallel},
    memory::{MemoryPermit, document_bytes},
    question::Query,
    scope::{SearchScope, VisibleSegment, browse, member_of, row_number},
};
use lookup::{CancelToken, ReadError};
use std::{
    collections::VecDeque,
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// Most rows of an answer.
pub const ROWS_MAX: usize = 10_000;
/// Rows closer together than this share blocks: a block of 128 KiB holds about this many messages.
const MESSAGES_A_BLOCK: u32 = 512;
/// Fewest rows for a separate piece of work.
const ROWS_A_PIECE: usize = 8;
/// Pieces per thread: blocks differ in cost.
const PIECES_A_THREAD: usize = 4;
/// Bytes of rows that are read ahead by several threads: all rows of most answers.
const AHEAD_BYTES_MAX: usize = 4 << 20;
/// Bytes of rows that are read at a time after that.
const STEP_BYTES: usize = 256 << 10;

/// The rows of an answer, newest first.
pub struct ChosenRows {
    space: SearchScope,
    /// The pieces of each member.
    sources: Vec<VecDeque<Piece>>,
    /// Most rows that are still to be returned.
    left: usize,
    unread: Vec<Unread>,
    memory: MemoryPermit,
}

/// Neighbouring rows of one segment.
struct Piece {
    segment: usize,
    /// Documents, descending.
    ids: Vec<u32>,
    /// Number of documents of `ids` read so far.
    read: usize,
    /// Rows that were read and not returned yet, with their indexes in `ids`.
    rows: VecDeque<(usize, Row)>,
}

impl ChosenRows {
    /// Chooses the rows of the matches that a search shows.
    pub(super) fn of(found: &Matches<'_>, search: &Search) -> Result<ChosenRows, SearchError> {
        let limit = search.limit.min(ROWS_MAX);
        let behind = Behind::of(found.space, search)?;
        let mut sources: Vec<VecDeque<Piece>> = found.space.members.iter().map(|_| VecDeque::new()).collect();
        let mut missing = vec![limit; sources.len()];
        for (seen, part) in found.views.iter().zip(&found.parts) {
            let missing = &mut missing[seen.member];
            if *missing == 0 || part.count == 0 {
                continue;
            }
            let end = behind.end(seen);
            let ids: Vec<u32> = part.matching.iter_rev().skip_while(|id| *id >= end).take(*missing).collect();
            *missing -= ids.len();
            let piece = |ids: &[u32]| Piece {
                segment: seen.segment,
                ids: ids.to_vec(),
                read: 0,
                rows: VecDeque::new(),
            };
            sources[seen.member].extend(ids.chunks(piece_length(&ids, search)).map(piece));
        }
        let mut memory = search.memory.permit("rows");
        let count: usize = sources.iter().flatten().map(|piece| piece.ids.len()).sum();
        memory.grow(count * size_of::<u32>())?;
        Ok(ChosenRows { space: found.space.clone(), sources, left: limit, unread: Vec::new(), memory })
    }

    /// Reads the first rows with several threads.
    pub(super) fn read_ahead(
        &mut self,
        query: &Query,
        threads: usize,
        cancel: &CancelToken,
    ) -> Result<(), SearchError> {
        let budget = AtomicUsize::new(AHEAD_BYTES_MAX);
        let places: Vec<(usize, usize)> = self.sources.iter().enumerate().flat_map(places).collect();
        let results = parallel::each(threads, places.len(), |index| {
            let (member, piece) = places[index];
            let piece = &self.sources[member][piece];
            self.space
                .segment_at(member, piece.segment)
                .map(|seen| read(seen, &piece.ids, query, cancel, &budget))
        });
        for ((member, piece), read) in places.into_iter().zip(results) {
            if let Some(read) = read {
                self.take(member, piece, read)?;
            }
        }
        Ok(())
    }

    /// Returns the next row; none after the last.
    pub fn next(&mut self, query: &Query, cancel: &CancelToken) -> Result<Option<Row>, SearchError> {
        if self.left == 0 {
            return Ok(None);
        }
        for member in 0..self.sources.len() {
            self.fill(member, query, cancel)?;
        }
        let fronts = self.sources.iter().enumerate().filter_map(|(member, pieces)| {
            let (_, row) = pieces.front()?.rows.front()?;
            Some((order(&row.document), member))
        });
        let Some((_, member)) = fronts.max() else { return Ok(None) };
        let row = self.sources[member].front_mut().and_then(|piece| piece.rows.pop_front());
        let Some((_, row)) = row else { return Ok(None) };
        self.left -= 1;
        self.memory.shrink(row_bytes(&row));
        Ok(Some(row))
    }

    /// Drops the rows that were read ahead; they are read again on demand.
    pub fn release(&mut self) {
        for piece in self.sources.iter_mut().flatten() {
            let rows = std::mem::take(&mut piece.rows);
            piece.read = rows.front().map_or(piece.read, |(place, _)| *place);
            self.memory.shrink(rows.iter().map(|(_, row)| row_bytes(row)).sum());
        }
    }

    /// Returns the messages that could not be read since the last call.
    pub fn take_unread(&mut self) -> Vec<Unread> {
        std::mem::take(&mut self.unread)
    }

    /// Reads more rows when none of a member are left.
    fn fill(&mut self, member: usize, query: &Query, cancel: &CancelToken) -> Result<(), SearchError> {
        while let Some(piece) = self.sources[member].front() {
            if !piece.rows.is_empty() {
                return Ok(());
            }
            let seen = self.space.segment_at(member, piece.segment);
            let Some(seen) = seen.filter(|_| piece.read < piece.ids.len()) else {
                self.sources[member].pop_front();
                continue;
            };
            let ids = piece.ids.get(piece.read..).unwrap_or_default();
            // Reads no more rows than may still be returned.
            let ids = &ids[..ids.len().min(self.left)];
            let read = read(seen, ids, query, cancel, &AtomicUsize::new(STEP_BYTES));
            self.take(member, 0, read)?;
        }
        Ok(())
    }

    /// Stores the rows read from a piece.
    fn take(&mut self, member: usize, piece: usize, read: Read) -> Result<(), SearchError> {
        self.memory.grow(read.rows.iter().map(|(_, row)| row_bytes(row)).sum())?;
        let piece = &mut self.sources[member][piece];
        let first = piece.read;
        piece.rows.extend(read.rows.into_iter().map(|(place, row)| (first + place, row)));
        piece.read += read.count;
        let segment = piece.segment;
        if let (Some(error), Some(seen)) = (read.error, self.space.segment_at(member, segment)) {
            self.unread.push(seen.unread(error)?);
        }
        Ok(())
    }
}

/// Lists the pieces of a member as pairs of member and index.
fn places((member, pieces): (usize, &VecDeque<Piece>)) -> impl Iterator<Item = (usize, usize)> + use<> {
    (0..pieces.len()).map(move |piece| (member, piece))
}

/// Memory that a row takes.
fn row_bytes(row: &Row) -> usize {
    document_bytes(&row.document) + size_of_val(row.highlights.as_slice())
}

/// The position of the last row of the preceding page.
enum Behind {
    /// There was none.
    Nothing,
    /// At a sequence number of the only member.
    Sequence(u64),
    /// At a time, in a member, at its sequence number.
    Row(i64, usize, u64),
}

impl Behind {
    fn of(space: &SearchScope, search: &Search) -> Result<Behind, SearchError> {
        let Some(before) = search.before else { return Ok(Behind::Nothing) };
        if space.members.len() <= 1 {
            return Ok(Behind::Sequence(before));
        }
        let (member, sequence) = member_of(before);
        match browse::message(space, before, &CancelToken::unlimited())? {
            Some(found) => Ok(Behind::Row(found.document.received_us, member, sequence)),
            None => {
                let text = "the row that the list ended with is gone or locked: search again";
                Err(SearchError::Refused(text.to_owned()))
            }
        }
    }

    /// Returns the first document of a segment that was already shown.
    fn end(&self, seen: &VisibleSegment<'_>) -> u32 {
        let id = |sequence: u64| {
            u32::try_from(sequence.saturating_sub(seen.view.first_sequence())).unwrap_or(u32::MAX)
        };
        match *self {
            Behind::Nothing => u32::MAX,
            Behind::Sequence(before) => id(before),
            Behind::Row(_, member, sequence) if seen.member == member => id(sequence),
            // For equal times, lower members come later in a list with the newest first.
            Behind::Row(at_us, member, _) => {
                let until = if seen.member < member { at_us.saturating_add(1) } else { at_us };
                seen.view.received_between(i64::MIN, until).end
            }
        }
    }
}

/// Rows of a piece: those that are far apart are cut into pieces for several threads.
fn piece_length(ids: &[u32], search: &Search) -> usize {
    let span = ids.first().zip(ids.last()).map_or(0, |(newest, oldest)| newest - oldest);
    let pieces = search.threads * PIECES_A_THREAD;
    if search.threads <= 1 || span < MESSAGES_A_BLOCK * pieces as u32 {
        return ids.len().max(1);
    }
    ids.len().div_ceil(pieces).max(ROWS_A_PIECE)
}

/// The result of reading a piece.
struct Read {
    /// Rows with their indexes among the documents asked for.
    rows: Vec<(usize, Row)>,
    /// Documents that were read or could not be.
    count: usize,
    error: Option<ReadError>,
}

/// Reads rows until there is no space for more. Returns those before an error as well; the rows after a damaged
/// block are still read.
fn read(
    seen: VisibleSegment<'_>,
    ids: &[u32],
    query: &Query,
    cancel: &CancelToken,
    budget: &AtomicUsize,
) -> Read {
    let mut result = Read { rows: Vec::new(), count: 0, error: None };
    if budget.load(Relaxed) == 0 {
        return result;
    }
    while let Some(rest) = ids.get(result.count..).filter(|rest| !rest.is_empty()) {
        let (rows, count) = (&mut result.rows, &mut result.count);
        let read = seen.view.read(&mut rest.iter().copied(), cancel, &mut |_, document| {
            let highlights: Vec<Range<usize>> = query.highlights(&document.text);
            let mut document = document.clone();
            document.sequence = row_number(seen.member, document.sequence);
            let row = Row { document, highlights };
            let bytes = row_bytes(&row);
            rows.push((*count, row));
            *count += 1;
            let before = budget.fetch_update(Relaxed, Relaxed, |budget| Some(budget.saturating_sub(bytes)));
            before.is_ok_and(|budget| budget > bytes)
        });
        match read {
            Ok(()) => break,
            Err(error @ ReadError::Stopped(_)) => {
                result.error = Some(error);
                break;
            }
            Err(error) => {
                result.count += 1;
                result.error.get_or_insert(error);
            }
        }
    }
    result
}
