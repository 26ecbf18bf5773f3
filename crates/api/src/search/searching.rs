//! Runs a search away from the reactor, and stops it when its client has gone.
//!
//! In: a request. Out: an answer of `query`. Holds a thread of `workers` while it runs.
//! Limits: [`TIMEOUT_MAX`] per search; waiting for a turn counts.

use crate::{
    error::ApiError,
    json::{
        rows,
        types::{ClockName, Operator, TimeRange},
    },
    scope::Scope,
    search::answer::{AnswerRows, MadeRows, Shown},
    state::{State, workers::SearchResources},
};
use lookup::CancelToken;
use query::{Answer, Clock, ParseOptions, Query, Search, SearchError, SearchScope};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Longest time of one search.
const TIMEOUT_MAX: Duration = Duration::from_secs(600);

/// Sets its flag when the call that owns it ends, for whatever reason.
pub(crate) struct CancelOnDrop(pub(crate) Arc<AtomicBool>);

impl CancelOnDrop {
    /// Disarms it, so that the end of the call cancels nothing: the call succeeded, and its rows may still be read later.
    pub(super) fn disarm(mut self) {
        self.0 = Arc::default();
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Returns the options for parsing a query now, in this machine's zone.
pub(crate) fn options(operator: Operator) -> ParseOptions {
    let now = jiff::Zoned::now();
    ParseOptions {
        default_operator: match operator {
            Operator::And => query::Operator::And,
            Operator::Or => query::Operator::Or,
        },
        now_us: now.timestamp().as_microsecond(),
        offset_s: now.offset().seconds(),
    }
}

/// Reads a query and a time range.
pub(crate) fn prepare(
    text: &str,
    default_operator: Operator,
    time: &TimeRange,
) -> Result<(Query, Search), ApiError> {
    prepare_at(text, &options(default_operator), time)
}

/// Reads a query and a time range as they are meant at a moment.
pub(crate) fn prepare_at(
    text: &str,
    options: &ParseOptions,
    time: &TimeRange,
) -> Result<(Query, Search), ApiError> {
    let query = Query::parse(text, options)?;
    let read = |name: &str, text: &Option<String>| match text.as_deref().map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => query::parse_time(text, options.now_us, options.offset_s).map(Some).ok_or_else(|| {
            let text =
                format!("cannot read {name} time {text:?}: use ISO 8601, seconds since 1970, or now-1h");
            ApiError::bad_request(text)
        }),
    };
    let search = Search {
        clock: match time.clock {
            ClockName::Received => Clock::Received,
            ClockName::Event => Clock::Event,
        },
        from_us: read("from", &time.from)?,
        to_us: read("to", &time.to)?,
        ..Search::default()
    };
    Ok((query, search))
}

/// A cancel token for what may take hours.
pub(crate) fn long_running_token(limit: Duration, cancelled: Arc<AtomicBool>) -> CancelToken {
    CancelToken::new(cancelled, Some(Instant::now() + limit))
}

/// A cancel token with a deadline from now on.
fn cancel_token(timeout_ms: u64, cancelled: Arc<AtomicBool>) -> CancelToken {
    let limit = Duration::from_millis(timeout_ms).min(TIMEOUT_MAX);
    CancelToken::new(cancelled, Some(Instant::now() + limit))
}

/// The answer of a search, its rows apart.
pub(crate) struct AnswerWithRows {
    pub(crate) answer: Answer,
    pub(crate) rows: AnswerRows,
    /// True when pipes made more rows than are shown.
    pub(crate) more: bool,
    /// Remarks for the user about the rows of pipes.
    pub(crate) notes: Vec<String>,
}

/// Refuses pipes that ask for numbers that a scope does not show.
pub(crate) fn check_pipes(query: &Query, scope: &Scope) -> Result<(), ApiError> {
    match query.has_sequences() && !scope.is_plain() {
        true => Err(ApiError::bad_request("a filtered or multiple logspace has no @sequence: use @received")),
        false => Ok(()),
    }
}

/// Runs a user's search with a memory budget and a cancel token that stops it when its time is over or its client
/// has gone.
pub(crate) async fn run<T: Send + 'static>(
    state: &Arc<State>,
    user: &str,
    mut search: Search,
    timeout_ms: u64,
    work: impl FnOnce(Search) -> Result<T, SearchError> + Send + 'static,
) -> Result<T, ApiError> {
    let cancelled = Arc::new(AtomicBool::new(false));
    let (cancel, pool) = (cancel_token(timeout_ms, cancelled.clone()), state.memory().clone());
    search.cache = state.results().clone();
    let run = move |resources: SearchResources| {
        search.threads = resources.cores;
        search.cancel = cancel.paced(resources.pace);
        // What it holds may outlive its time and its turn: rows wait for the client.
        search.memory = pool.budget(&search.cancel.without_deadline());
        work(search)
    };
    let cancel = CancelOnDrop(cancelled);
    let done = state.searches.run(user, run).await?;
    cancel.disarm();
    done.map_err(|error| rows::search_error(&error, Duration::from_millis(timeout_ms)))
}

/// Answers the question of a search with its pipes over the same messages.
pub(crate) fn answer_with_rows(
    space: &SearchScope,
    shown: &Shown,
    search: &Search,
) -> Result<AnswerWithRows, SearchError> {
    let query = &shown.query;
    if query.written_pipes().is_empty() {
        let (answer, rows) = query::search_rows(space, query, search)?;
        return Ok(AnswerWithRows { answer, rows: AnswerRows::Chosen(rows), more: false, notes: Vec::new() });
    }
    let mut rows = MadeRows::new(&search.memory);
    let mut more = false;
    let (answer, outcome) = query::search_piped(space, query, search, &mut |row| {
        more = rows.count() >= search.limit;
        if !more {
            rows.push(shown, &row)?;
        }
        Ok(!more)
    })?;
    Ok(AnswerWithRows { answer, rows: AnswerRows::Made(rows), more, notes: outcome.notes })
}

/// Runs a user's work that reads segments on the threads of searches, in turn; `cancelled` is set when the caller
/// goes away.
pub(crate) async fn blocking<T: Send + 'static>(
    state: &State,
    user: &str,
    cancelled: Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    let _cancel = CancelOnDrop(cancelled);
    state.searches.run(user, |_| work()).await
}
