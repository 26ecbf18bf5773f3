//! `/tail`: messages as they become durable, pushed to the page (server-sent events).
//!
//! In: a query. Out: `row` events whose id says how far the search is, a `status` event each second. A client that
//! connects again with `Last-Event-ID` first gets what it missed, as far as [`BACKLOG_ROWS_MAX`] and [`WAITING_BYTES_MAX`]
//! reach.
//! Limits: [`ROWS_PER_SECOND_MAX`] rows are shown, further ones are counted; a slow client misses messages,
//! and the status event counts them; rows that wait for it count towards the memory of searches.

use crate::{
    access::{accounts::Right, sessions::User},
    error::{ApiError, ErrorCode},
    json::{
        ids::Id,
        rows,
        types::{Operator, TimeRange},
    },
    request::extract::Parameters,
    scope::Scope,
    search::{searching, transfer::access::CHECK_EVERY},
    state::State,
};
use axum::{
    extract::State as Shared,
    http::{HeaderMap, StatusCode},
    response::sse::{Event, KeepAlive, Sse},
};
use futures_util::Stream;
use logspace::{Live, Subscription};
use lookup::{CancelToken, Document};
use query::{Answer, Matcher, MemoryPermit, Query, Search, SearchError, SearchScope, row_number};
use serde::{Deserialize, Serialize};
use std::{
    collections::VecDeque,
    convert::Infallible,
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
    time::{Duration, Instant},
};
use tokio::sync::OwnedSemaphorePermit;
use utoipa::IntoParams;

/// Rows shown in one second: more than anyone reads, less than a browser chokes on.
const ROWS_PER_SECOND_MAX: u64 = 500;
/// Rows that are sent again after a lost connection.
const BACKLOG_ROWS_MAX: usize = 1000;
/// Bytes of rows that wait for a client; further ones are counted and not shown.
const WAITING_BYTES_MAX: usize = 4 << 20;
/// Time between status events.
const STATUS_EVERY: Duration = Duration::from_secs(1);

/// The messages to follow.
#[derive(Deserialize, IntoParams)]
pub(crate) struct TailParameters {
    /// Name; may be left out when there is one.
    logspace: Option<String>,
    /// Lucene syntax; empty follows all.
    #[serde(default)]
    query: String,
    /// Default operator between words.
    #[serde(default)]
    #[param(inline)]
    default_operator: Operator,
    /// Start after this snapshot of an answer or this event's id; `Last-Event-ID` does the same.
    after: Option<String>,
}

/// Follows a logspace.
#[utoipa::path(get, path = "/api/v1/tail", params(TailParameters), responses(
    (status = 200, content_type = "text/event-stream", body = crate::json::types::Row),
    (status = 400, body = crate::error::ErrorAnswer), (status = 503, body = crate::error::ErrorAnswer)))]
pub(crate) async fn tail(
    Shared(state): Shared<Arc<State>>,
    user: User,
    headers: HeaderMap,
    Parameters(parameters): Parameters<TailParameters>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let permit = state.tails.clone().try_acquire_owned().map_err(|_| {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::TooLarge, "too many live tails are open")
    })?;
    let (query, mut search) =
        searching::prepare(&parameters.query, parameters.default_operator, &TimeRange::default())?;
    if !query.written_pipes().is_empty() {
        return Err(ApiError::bad_request("a live tail takes no pipes: remove what stands behind |"));
    }
    let scope = state.scope(&user, parameters.logspace.as_deref(), Right::Search)?;
    state.note(&user, "tail", &scope, &parameters.query, serde_json::Value::Null).await?;
    let resumed = headers.get("last-event-id").and_then(|id| Some(id.to_str().ok()?.to_owned()));
    let after = resumed.or(parameters.after).map(|after| state.ids().ends(&scope, &Id::parse(&after)));
    let after = after.transpose()?;
    // Subscribed before the backlog is read, so that nothing falls between the two.
    let mut follower = Follower::new(state.clone(), user, scope.clone(), query.clone(), permit);
    if let Some(after) = after {
        search.limit = BACKLOG_ROWS_MAX;
        search.buckets = 0;
        let space = scope.space(&follower.user.keyring);
        let name = follower.user.name.clone();
        let found =
            searching::run(&state, &name, search, 10_000, move |search| newest(&space, &query, &search));
        let (answer, rows) = found.await?;
        follower.begin(&after, &answer.snapshot, &rows);
    }
    let events = futures_util::stream::unfold(follower, |mut follower| async move {
        follower.next().await.map(|event| (Ok(event), follower))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// The counts of a status event.
#[derive(Serialize, Clone, Default)]
struct Status {
    /// Messages that matched since the start.
    matched: u64,
    /// Messages that were shown.
    shown: u64,
    /// Messages that this tail was too slow for; where messages are hidden, how often it was too slow.
    missed: u64,
    /// Position up to which messages were compared.
    sequence: Option<Id>,
}

/// A member of the followed scope.
struct Source {
    subscription: Subscription,
    /// The messages that the user may see; none: all of them.
    boundary: Option<Matcher>,
    /// Sequence number after the newest message compared.
    next: u64,
}

/// One live tail.
struct Follower {
    state: Arc<State>,
    user: User,
    scope: Arc<Scope>,
    query: Query,
    matcher: Matcher,
    sources: Vec<Source>,
    /// Events with their sizes.
    waiting: VecDeque<(Event, usize)>,
    /// Memory for `waiting`.
    memory: MemoryPermit,
    status: Status,
    /// Time of the last check that the user may still follow.
    checked: Instant,
    second: Instant,
    shown_in_second: u64,
    /// Index of the source that is polled first; it rotates so that all get a turn.
    turn: usize,
    _permit: OwnedSemaphorePermit,
}

impl Follower {
    fn new(
        state: Arc<State>,
        user: User,
        scope: Arc<Scope>,
        query: Query,
        permit: OwnedSemaphorePermit,
    ) -> Follower {
        let source = |member: &crate::ScopeMember| Source {
            // Taken first: messages that arrive from now on are not below it.
            next: member.logspace.snapshot().sequence,
            subscription: member.logspace.subscribe(),
            boundary: member.boundary.as_ref().map(|boundary| boundary.matcher()),
        };
        let memory = state.memory().budget(&CancelToken::unlimited()).permit("tail");
        Follower {
            state,
            user,
            sources: scope.members.iter().map(source).collect(),
            scope,
            matcher: query.matcher(),
            query,
            waiting: VecDeque::new(),
            memory,
            status: Status::default(),
            checked: Instant::now(),
            second: Instant::now(),
            shown_in_second: 0,
            turn: 0,
            _permit: permit,
        }
    }

    /// Begins with the messages since an earlier tail or answer, searched up to a snapshot.
    fn begin(&mut self, after: &[u64], snapshot: &[u64], rows: &[Document]) {
        for (source, end) in self.sources.iter_mut().zip(after) {
            source.next = *end;
        }
        for document in rows.iter().rev() {
            let (member, sequence) = query::member_of(document.sequence);
            let Some(source) = self.sources.get_mut(member).filter(|source| sequence >= source.next) else {
                continue;
            };
            source.next = sequence + 1;
            self.show(document);
        }
        for (source, end) in self.sources.iter_mut().zip(snapshot) {
            source.next = source.next.max(*end);
        }
        self.status.matched = self.waiting.len() as u64;
    }

    /// The next event; `None` when a logspace closes, or the user is logged out or may not search it any more.
    async fn next(&mut self) -> Option<Event> {
        loop {
            // Also between rows that come without a pause.
            if self.checked.elapsed() >= CHECK_EVERY {
                if !self.is_granted().unwrap_or(false) {
                    return None;
                }
                self.checked = Instant::now();
            }
            if let Some((event, bytes)) = self.waiting.pop_front() {
                self.memory.shrink(bytes);
                return Some(event);
            }
            let left = STATUS_EVERY.saturating_sub(self.second.elapsed());
            if left.is_zero() {
                self.second = Instant::now();
                self.shown_in_second = 0;
                return Some(self.status_event());
            }
            let next = left.min(CHECK_EVERY.saturating_sub(self.checked.elapsed()));
            let (sources, turn) = (&self.sources, self.turn);
            match tokio::time::timeout(next, poll_fn(|context| poll(sources, turn, context))).await {
                Ok((member, Some(live))) => self.take(member, live),
                Ok((_, None)) => return None,
                Err(_) => {}
            }
        }
    }

    /// Returns true if the user is still logged in and may search the scope.
    fn is_granted(&self) -> Result<bool, ApiError> {
        Ok(self.state.is_current(&self.user)?
            && self.state.may(&self.user, &self.scope.name, Right::Search)?)
    }

    fn take(&mut self, member: usize, live: Live) {
        let is_plain = self.scope.is_plain();
        self.turn = member + 1;
        let Some(source) = self.sources.get_mut(member) else { return };
        let (batch, selection, first_sequence) = match live {
            Live::Messages { batch, selection, first_sequence } => (batch, selection, first_sequence),
            Live::Lagged { messages } => {
                self.status.missed += if is_plain { messages } else { 1 };
                return;
            }
        };
        let mut found = Vec::new();
        for (index, sequence) in selection.iter().zip(first_sequence..) {
            if sequence < source.next {
                continue;
            }
            source.next = sequence + 1;
            let document = Document::of(&batch, index, row_number(member, sequence));
            let is_within = source.boundary.as_mut().is_none_or(|boundary| boundary.matches(&document));
            if is_within && self.matcher.matches(&document) {
                self.status.matched += 1;
                if self.shown_in_second < ROWS_PER_SECOND_MAX {
                    self.shown_in_second += 1;
                    found.push((document, source.next));
                }
            }
        }
        // Each row's id says how far its stream had come with it.
        let end = std::mem::take(&mut source.next);
        for (document, next) in found {
            self.sources[member].next = next;
            self.show(&document);
        }
        self.sources[member].next = end;
    }

    fn mark(&self) -> Id {
        let ends: Vec<u64> = self.sources.iter().map(|source| source.next).collect();
        self.state.ids().mark(&self.scope, &ends)
    }

    fn status_event(&mut self) -> Event {
        self.status.sequence = Some(self.mark());
        json_event("status", &self.status)
    }

    /// Queues a row for the client, if it fits.
    fn show(&mut self, document: &Document) {
        let highlights = self.query.highlights(&document.text);
        let row = rows::row(self.state.ids(), &self.scope, document, &highlights);
        let Ok(text) = serde_json::to_string(&row) else { return };
        let bytes = text.len();
        let waiting = self.memory.used_bytes() as usize;
        if waiting + bytes > WAITING_BYTES_MAX || self.memory.grow_at_once(bytes).is_err() {
            return;
        }
        self.status.shown += 1;
        let event = Event::default().event("row").id(self.mark().to_string()).data(text);
        self.waiting.push_back((event, bytes));
    }
}

/// The newest messages that a question finds, as many as may wait for a client.
fn newest(
    space: &SearchScope,
    query: &Query,
    search: &Search,
) -> Result<(Answer, Vec<Document>), SearchError> {
    let (answer, mut chosen) = query::search_rows(space, query, search)?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = chosen.next(query, &search.cancel)? {
        bytes += row.document.raw.len() + row.document.text.len();
        if bytes > WAITING_BYTES_MAX {
            break;
        }
        rows.push(row.document);
    }
    Ok((answer, rows))
}

/// Polls the sources, beginning with `turn`, and returns the first result.
fn poll(sources: &[Source], turn: usize, context: &mut Context<'_>) -> Poll<(usize, Option<Live>)> {
    let turns = (turn..turn + sources.len()).map(|turn| turn % sources.len());
    for (member, source) in turns.filter_map(|member| Some((member, sources.get(member)?))) {
        if let Poll::Ready(live) = source.subscription.poll(context) {
            return Poll::Ready((member, live));
        }
    }
    Poll::Pending
}

/// An event whose data is JSON; our own types always serialise.
fn json_event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).json_data(data).unwrap_or_else(|_| Event::default().event(name))
}

#[cfg(test)]
mod tests;
