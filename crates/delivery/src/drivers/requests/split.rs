//! The search for the refused rows of a request that was refused as a whole, and the cutting of requests that would be.
//!
//! In: rows of a refused request, and which of them the receiver names. Out: requests with fewer rows, in the same position.
//! Holds: nothing of its own. Limits: a row that is refused is dead only when it was alone, so a wrong name costs two
//! requests and nothing else.
//!
//! The rows that a receiver names are tried alone, and the others together. Without names a request is halved; when the first
//! half is accepted, the second has the refused row and is halved without being sent. A request that was sent keeps its rows
//! until its receiver has refused it: a repeat must be the same request.

use super::{Kept, Request, Requests, RowSource, State};
use receivers::contract::Row;
use std::sync::Arc;

/// The knowledge of the rows of a request that is put back as two.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing.
    Untried,
    /// At least one of them is refused.
    Refused,
    /// They are refused together, perhaps because they are too many.
    TooLarge,
}

impl Request {
    /// Returns true when nothing is known of its rows, so that they may be sent with others.
    fn is_loose(&self) -> bool {
        !(self.was_sent || self.has_refused || self.is_half || self.is_named)
    }
}

impl Requests {
    /// Takes a request out of its position.
    fn take_at(&mut self, at: usize) -> Option<Request> {
        let request = self.ready.remove(at)?;
        self.rows -= request.rows.len();
        self.bytes -= request.bytes();
        self.held_bytes -= request.held_bytes();
        Some(request)
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<(usize, Request)> {
        let at = self.ready.iter().position(|request| request.number == number)?;
        self.take_at(at).map(|request| (at, request))
    }

    /// Fits a request that is sent next to the number of rows among which refused ones can be found cheaply.
    pub(super) fn fit(&mut self, at: usize) {
        let Some(most) = self.spacing.rows_max() else { return self.cut(at, usize::MAX) };
        while self.ready[at].is_loose() && self.fill(at, most.min(self.limits.rows)) {}
        self.cut(at, most);
    }

    /// Cuts a request that was not sent yet. One that has a refused row is halved at least.
    fn cut(&mut self, at: usize, most: usize) {
        let request = &self.ready[at];
        let count = request.rows.len();
        let (first, before) = match request.has_refused {
            true => (most.min(count.div_ceil(2)), Before::Refused),
            false => (most, Before::Untried),
        };
        if !request.was_sent
            && first < count
            && let Some(request) = self.take_at(at)
        {
            self.insert_halves(at, request, first, before);
        }
    }

    /// Fills a request with rows of the next one: what a search has left would be many small requests. Returns false when there is
    /// no room, or nothing to fill it with.
    fn fill(&mut self, at: usize, most: usize) -> bool {
        let (request, room) = (&self.ready[at], most.saturating_sub(self.ready[at].rows.len()));
        let fits = |next: &&Request| {
            let is_same = next.group == request.group && next.lane == request.lane;
            let payload = |request: &Request| request.rows.iter().map(Row::payload).sum::<usize>();
            let has_bytes =
                || self.limits.bytes == 0 || payload(request) + payload(next) <= self.limits.bytes;
            room > 0 && is_same && next.is_loose() && next.state == State::Waiting && has_bytes()
        };
        if self.ready.get(at + 1).filter(fits).is_none() {
            return false;
        }
        let (Some(mut next), Some(mut request)) = (self.take_at(at + 1), self.take_at(at)) else {
            return false;
        };
        let mut rows = Arc::unwrap_or_clone(std::mem::take(&mut request.rows));
        let mut more = Arc::unwrap_or_clone(std::mem::take(&mut next.rows));
        let left =
            (more.split_off(room.min(more.len())), next.sources.split_off(room.min(next.sources.len())));
        rows.append(&mut more);
        request.sources.append(&mut next.sources);
        request.rows = Arc::new(rows);
        self.insert(at, request);
        let is_used_up = left.0.is_empty();
        if !is_used_up {
            (next.rows, next.sources) = (Arc::new(left.0), left.1);
            self.insert(at + 1, next);
        }
        is_used_up
    }

    /// Puts a request back as two, the first of which has so many rows. If they were refused together, they are not sent together
    /// again: what becomes of the first is waited for.
    fn insert_halves(&mut self, at: usize, mut request: Request, first: usize, before: Before) {
        let mut rows = Arc::unwrap_or_clone(std::mem::take(&mut request.rows));
        let (tail_rows, tail_sources) = (rows.split_off(first), request.sources.split_off(first));
        let mut second = self.request(request.group.clone(), tail_rows, tail_sources);
        second.is_rest = request.is_rest;
        second.readable = request.readable.saturating_sub(first);
        request.readable = request.readable.min(first);
        second.is_half = before != Before::Untried;
        request.other_half = second.is_half.then_some(second.number);
        (request.has_refused, request.tells) = (false, before == Before::Refused);
        request.rows = Arc::new(rows);
        self.insert(at, second);
        self.insert(at, request);
    }

    /// Puts the rows of a request that was refused as a whole back in its position, as several requests.
    pub(super) fn insert_parts(&mut self, at: usize, mut request: Request, kept: Kept) {
        request.was_sent = false;
        if let Some(other) = self.other_half(&request) {
            other.is_half = false;
        }
        if !self.spacing.believes(&kept.named) {
            let half = kept.rows.len() / 2;
            let first = self.spacing.rows_max().unwrap_or(half).min(half);
            (request.rows, request.sources) = (Arc::new(kept.rows), kept.sources);
            // A request that is too large has no row that must be the cause.
            let before = if kept.is_too_large { Before::TooLarge } else { Before::Refused };
            return self.insert_halves(at, request, first, before);
        }
        let first_named = kept.named.first().copied().unwrap_or_default();
        self.spacing.accept(first_named.saturating_sub(request.readable));
        request.readable = first_named;
        let (mut rows, mut sources, mut at) = (Vec::new(), Vec::new(), at);
        for (place, pair) in kept.rows.into_iter().zip(kept.sources).enumerate() {
            if kept.named.binary_search(&place).is_ok() {
                let (row, source): (Row, RowSource) = pair;
                let mut alone = self.request(request.group.clone(), vec![row], vec![source]);
                (alone.is_named, alone.is_rest) = (true, request.is_rest);
                self.insert(at, alone);
                at += 1;
            } else {
                rows.push(pair.0);
                sources.push(pair.1);
            }
        }
        if !rows.is_empty() {
            (request.rows, request.sources) = (Arc::new(rows), sources);
            self.insert(at, request);
        }
    }

    fn other_half(&mut self, request: &Request) -> Option<&mut Request> {
        let number = request.other_half?;
        self.ready.iter_mut().find(|other| other.number == number)
    }

    /// Learns from a request that is judged: how many of its rows were accepted, and how many are left.
    pub(super) fn learn(&mut self, request: &mut Request, (count, delivered, left): (usize, usize, usize)) {
        if left == 0
            && let Some(other) = self.other_half(request)
        {
            other.is_half = false;
            other.has_refused = request.tells && delivered == count && !other.was_sent;
        }
        if delivered == 0 {
            return;
        }
        self.spacing.accept(delivered.saturating_sub(request.readable));
        request.readable = 0;
        if request.is_named {
            self.spacing.doubt();
        }
    }
}
