//! The answer of a search as JSON, written piece by piece.
//!
//! In: an answer whose rows are chosen, or the results of pipes. Out: pieces of its JSON, the first one large enough
//! for most complete answers. Holds: the numbers of rows that are still to be read, or the text of the results of
//! pipes.
//! Limits: [`FIRST_BYTES`], then [`PIECE_BYTES`] in memory for each answer that waits for its client; text of pipes is within
//! the memory of their search, and is freed when the client reads nothing for [`STALLED`].

use crate::{
    error::ApiError,
    json::{
        rows,
        types::{Row, SearchHead, SearchTail},
    },
    scope::Scope,
    state::{State, workers::SearchResources},
};
use axum::body::{Body, Bytes};
use lookup::{CancelToken, Document};
use query::{ChosenRows, MemoryBudget, MemoryPermit, Query, SearchError};
use serde::Serialize;
use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::{Duration, Instant},
};

/// Bytes of the first piece: a smaller answer is sent at once.
pub(crate) const FIRST_BYTES: usize = 1 << 20;
/// Bytes of further pieces.
const PIECE_BYTES: usize = 256 << 10;
/// Longest time for which a client may accept no data.
pub(crate) const STALLED: Duration = Duration::from_secs(60);
/// Interval at which that is checked.
const LOOK_EVERY: Duration = Duration::from_secs(15);

/// The scope and format in which an answer is shown.
#[derive(Clone)]
pub(crate) struct Shown {
    pub(crate) state: Arc<State>,
    pub(crate) scope: Arc<Scope>,
    pub(crate) query: Arc<Query>,
    pub(crate) user: String,
}

/// The rows of an answer.
pub(crate) enum AnswerRows {
    /// They are read as they are written.
    Chosen(ChosenRows),
    /// They were made by pipes.
    Made(MadeRows),
}

/// Rows of pipes, as JSON with commas between them.
pub(crate) struct MadeRows {
    pieces: VecDeque<Vec<u8>>,
    count: usize,
    memory: MemoryPermit,
}

/// Writes one answer.
pub(crate) struct AnswerWriter {
    shown: Shown,
    cancel: CancelToken,
    /// The part of the answer that comes next, besides rows.
    head: Option<Vec<u8>>,
    rows: AnswerRows,
    is_first_row: bool,
    /// The text that closes the list of rows.
    close: &'static [u8],
    tail: Option<SearchTail>,
    /// The piece that the client was given last.
    in_flight: MemoryPermit,
}

impl MadeRows {
    pub(crate) fn new(memory: &MemoryBudget) -> MadeRows {
        MadeRows { pieces: VecDeque::new(), count: 0, memory: memory.permit("rows") }
    }

    /// Rows so far.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, shown: &Shown, row: &Document) -> Result<(), SearchError> {
        if self.pieces.back().is_none_or(|piece| piece.len() >= PIECE_BYTES) {
            self.pieces.push_back(Vec::new());
        }
        let Some(piece) = self.pieces.back_mut() else { return Ok(()) };
        let before = piece.capacity();
        if self.count > 0 {
            piece.push(b',');
        }
        match shown.query.columns() {
            None => json(&message_row(shown, row, &shown.query.highlights(&row.text)), piece),
            Some(columns) => json(&rows::cells(row, columns), piece),
        }
        self.count += 1;
        self.memory.grow(piece.capacity() - before)?;
        Ok(())
    }
}

impl AnswerWriter {
    /// Writes an answer with these rows.
    pub(crate) fn new(
        shown: Shown,
        head: &SearchHead,
        rows: AnswerRows,
        tail: SearchTail,
        memory: &MemoryBudget,
        cancel: &CancelToken,
    ) -> AnswerWriter {
        let mut text = Vec::with_capacity(1024);
        json(head, &mut text);
        // A table is the last member of the head, and its rows are the last of the table: both are open now.
        let close: &[u8] = if head.table.is_some() {
            text.truncate(text.len() - b"]}}".len());
            b"]},\"rows\":[]"
        } else {
            text.truncate(text.len() - b"}".len());
            text.extend_from_slice(b",\"rows\":[");
            b"]"
        };
        let in_flight = memory.permit("rows");
        let cancel = cancel.without_deadline();
        let (head, tail) = (Some(text), Some(tail));
        AnswerWriter { shown, cancel, head, rows, is_first_row: true, close, tail, in_flight }
    }

    /// Returns the next piece, of about `bytes` bytes; none after the last.
    pub(crate) fn piece(&mut self, bytes: usize) -> Result<Option<Vec<u8>>, SearchError> {
        self.in_flight.shrink(self.in_flight.used_bytes() as usize);
        let mut piece = self.head.take().unwrap_or_default();
        while piece.len() < bytes {
            if self.rows(&mut piece)? {
                continue;
            }
            if let Some(tail) = self.tail.take() {
                self.end(tail, &mut piece);
            }
            break;
        }
        self.in_flight.grow(piece.len())?;
        Ok((!piece.is_empty()).then_some(piece))
    }

    /// Returns true when everything was written.
    pub(crate) fn is_done(&self) -> bool {
        self.tail.is_none()
    }

    /// Adds some rows; returns false after the last.
    fn rows(&mut self, piece: &mut Vec<u8>) -> Result<bool, SearchError> {
        match &mut self.rows {
            AnswerRows::Made(made) => {
                let Some(next) = made.pieces.pop_front() else { return Ok(false) };
                piece.extend_from_slice(&next);
                made.memory.shrink(next.capacity());
            }
            AnswerRows::Chosen(chosen) => {
                let Some(row) = chosen.next(&self.shown.query, &self.cancel)? else { return Ok(false) };
                if !std::mem::take(&mut self.is_first_row) {
                    piece.push(b',');
                }
                json(&message_row(&self.shown, &row.document, &row.highlights), piece);
            }
        }
        Ok(true)
    }

    fn end(&mut self, mut tail: SearchTail, piece: &mut Vec<u8>) {
        if let AnswerRows::Chosen(chosen) = &mut self.rows {
            for unread in chosen.take_unread() {
                tail.hints.push(unread.describe());
                tail.unread.push(rows::unread(&self.shown.scope, &unread));
            }
        }
        piece.extend_from_slice(self.close);
        piece.push(b',');
        let start = piece.len();
        json(&tail, piece);
        // The tail continues the object that the head began, so its brace is removed.
        piece.remove(start);
    }

    /// The rest of an answer as the body of a response, after its first piece.
    pub(crate) fn into_body(mut self, first: Vec<u8>) -> Body {
        if self.is_done() {
            return Body::from(first);
        }
        if let AnswerRows::Chosen(chosen) = &mut self.rows {
            // A client that reads slowly costs the numbers of its rows.
            chosen.release();
        }
        let waiting = Arc::new(Waiting { writer: Mutex::new((Some(self), Instant::now())) });
        tokio::spawn(drop_stalled(Arc::downgrade(&waiting)));
        let stream = futures_util::stream::unfold((Some(first), waiting), |(first, waiting)| async move {
            let piece = match first {
                Some(first) => Ok(Bytes::from(first)),
                None => waiting.next().await.transpose()?,
            };
            Some((piece, (None, waiting)))
        });
        Body::from_stream(stream)
    }
}

/// An answer that waits for its client.
struct Waiting {
    /// The writer, unless the client took nothing for too long, and when the client took something last.
    writer: Mutex<(Option<AnswerWriter>, Instant)>,
}

impl Waiting {
    /// The next piece, made where searches run.
    async fn next(&self) -> io::Result<Option<Bytes>> {
        let writer = self.locked().0.take();
        let Some(mut writer) = writer else {
            return Err(io::Error::other("the client took nothing for too long"));
        };
        if writer.is_done() {
            return Ok(None);
        }
        let (state, user) = (writer.shown.state.clone(), writer.shown.user.clone());
        let work = move |turn: SearchResources| {
            writer.cancel = writer.cancel.clone().paced(turn.pace);
            (writer.piece(PIECE_BYTES), writer)
        };
        let (piece, writer) = state
            .searches
            .run(&user, work)
            .await
            .map_err(|error: ApiError| io::Error::other(error.to_string()))?;
        *self.locked() = (Some(writer), Instant::now());
        piece.map(|piece| piece.map(Bytes::from)).map_err(|error| io::Error::other(error.to_string()))
    }

    /// Forgets the rows when their client has taken nothing for too long.
    fn drop_stalled(&self, now: Instant) {
        let mut writer = self.locked();
        if now.saturating_duration_since(writer.1) > STALLED {
            writer.0 = None;
        }
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, (Option<AnswerWriter>, Instant)> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets the rows of an answer that its client does not take.
async fn drop_stalled(waiting: Weak<Waiting>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let Some(waiting) = waiting.upgrade() else { return };
        waiting.drop_stalled(Instant::now());
    }
}

fn message_row(shown: &Shown, row: &Document, highlights: &[std::ops::Range<usize>]) -> Row {
    rows::row(shown.state.ids(), &shown.scope, row, highlights)
}

/// Our own types always serialise, and memory takes all that is written.
fn json(value: &impl Serialize, out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, value);
}

#[cfg(test)]
mod tests;
