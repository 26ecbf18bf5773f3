//! `/tail`: messages as they become durable, pushed to the page (server-sent events).
//!
//! In: a query. Out: `row` events with the sequence number as id, a `status` event each second. A client that
//! connects again with `Last-Event-ID` first gets what it missed, as far as [`BACKLOG_ROWS_MAX`] reaches.
//! Limits: [`ROWS_PER_SECOND_MAX`] rows are shown, further ones are counted; a slow client misses messages and is told.

use crate::{
    error::ApiError,
    extract::Parameters,
    guard::User,
    rows, searching,
    state::State,
    types::{Operator, TimeRange},
};
use axum::{
    extract::State as Shared,
    http::{HeaderMap, StatusCode},
    response::sse::{Event, KeepAlive, Sse},
};
use futures_util::Stream;
use query::{Matcher, Query};
use serde::{Deserialize, Serialize};
use std::{
    collections::VecDeque,
    convert::Infallible,
    future::poll_fn,
    sync::Arc,
    time::{Duration, Instant},
};
use store::{Document, Live, Subscription};
use tokio::sync::OwnedSemaphorePermit;
use utoipa::IntoParams;

/// Rows shown in one second: more than anybody reads, less than a browser chokes on.
const ROWS_PER_SECOND_MAX: u64 = 500;
/// Rows that are sent again after a lost connection.
const BACKLOG_ROWS_MAX: usize = 1000;
/// Time between status events.
const STATUS_EVERY: Duration = Duration::from_secs(1);

/// What to follow.
#[derive(Deserialize, IntoParams)]
pub(crate) struct TailParameters {
    /// Name; may be left out when there is one.
    logspace: Option<String>,
    /// Lucene syntax; empty follows all.
    #[serde(default)]
    query: String,
    /// How words join.
    #[serde(default)]
    #[param(inline)]
    default_operator: Operator,
    /// Start behind this sequence number; `Last-Event-ID` does the same.
    after: Option<u64>,
}

/// Follows a logspace.
#[utoipa::path(get, path = "/api/v1/tail", params(TailParameters), responses(
    (status = 200, content_type = "text/event-stream", body = crate::types::Row),
    (status = 400, body = crate::types::ErrorAnswer), (status = 503, body = crate::types::ErrorAnswer)))]
pub(crate) async fn tail(
    Shared(state): Shared<Arc<State>>,
    user: User,
    headers: HeaderMap,
    Parameters(parameters): Parameters<TailParameters>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let seat = state.tails.clone().try_acquire_owned().map_err(|_| {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "too_large", "too many live tails are open")
    })?;
    let (query, mut search) =
        searching::prepare(&parameters.query, parameters.default_operator, &TimeRange::default())?;
    if !query.written_pipes().is_empty() {
        return Err(ApiError::bad_request("a live tail takes no pipes: remove what stands behind |"));
    }
    let logspace = state.logspace(parameters.logspace.as_deref())?;
    let (name, details) = (parameters.logspace.as_deref(), serde_json::Value::Null);
    state.note(&user, "tail", name, &parameters.query, details).await?;
    let resumed = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    // Subscribed before the backlog is read, so that nothing falls between the two.
    let subscription = logspace.subscribe();
    let mut waiting = VecDeque::new();
    let mut sequence = None;
    if let Some(after) = resumed.or(parameters.after) {
        search.limit = BACKLOG_ROWS_MAX;
        search.bars = 0;
        let answer = searching::run(&state, logspace, query.clone(), search, 10_000).await?;
        let missed = answer.rows.iter().filter(|row| row.document.sequence > after);
        waiting.extend(missed.rev().map(|row| row_event(&row.document, &query)));
        sequence = answer.snapshot.checked_sub(1);
    }
    let follower = Follower::new(query, subscription, waiting, sequence, seat);
    let events = futures_util::stream::unfold(follower, |mut follower| async move {
        follower.next().await.map(|event| (Ok(event), follower))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// The counts of a status event.
#[derive(Serialize, Clone, Copy)]
struct Status {
    /// Messages that matched since the start.
    matched: u64,
    /// Those that were shown.
    shown: u64,
    /// Messages that this tail was too slow for.
    missed: u64,
    /// Newest sequence number looked at.
    sequence: Option<u64>,
}

/// One live tail.
struct Follower {
    query: Query,
    matcher: Matcher,
    subscription: Subscription,
    waiting: VecDeque<Event>,
    status: Status,
    second: Instant,
    shown_in_second: u64,
    _seat: OwnedSemaphorePermit,
}

impl Follower {
    fn new(
        query: Query,
        subscription: Subscription,
        waiting: VecDeque<Event>,
        sequence: Option<u64>,
        seat: OwnedSemaphorePermit,
    ) -> Follower {
        let shown = waiting.len() as u64;
        Follower {
            matcher: query.matcher(),
            query,
            subscription,
            waiting,
            status: Status { matched: shown, shown, missed: 0, sequence },
            second: Instant::now(),
            shown_in_second: 0,
            _seat: seat,
        }
    }

    /// The next event; `None` when the logspace closes.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            let left = STATUS_EVERY.saturating_sub(self.second.elapsed());
            let subscription = &self.subscription;
            match tokio::time::timeout(left, poll_fn(|context| subscription.poll(context))).await {
                Ok(Some(live)) => self.take(live),
                Ok(None) => return None,
                Err(_) => {
                    self.second = Instant::now();
                    self.shown_in_second = 0;
                    return Some(self.status_event());
                }
            }
        }
    }

    fn take(&mut self, live: Live) {
        let (batch, selection, first_sequence) = match live {
            Live::Messages { batch, selection, first_sequence } => (batch, selection, first_sequence),
            Live::Lagged { messages } => {
                self.status.missed += messages;
                return;
            }
        };
        for (index, sequence) in selection.iter().zip(first_sequence..) {
            if self.status.sequence.is_some_and(|seen| sequence <= seen) {
                continue;
            }
            self.status.sequence = Some(sequence);
            let document = Document::of(&batch, index, sequence);
            if !self.matcher.matches(&document) {
                continue;
            }
            self.status.matched += 1;
            if self.shown_in_second < ROWS_PER_SECOND_MAX {
                self.shown_in_second += 1;
                self.status.shown += 1;
                self.waiting.push_back(row_event(&document, &self.query));
            }
        }
    }

    fn status_event(&self) -> Event {
        json_event("status", &self.status)
    }
}

fn row_event(document: &Document, query: &Query) -> Event {
    let row = rows::row(document, &query.highlights(&document.text));
    json_event("row", &row).id(document.sequence.to_string())
}

/// An event whose data is JSON; our own types always serialise.
fn json_event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).json_data(data).unwrap_or_else(|_| Event::default().event(name))
}
