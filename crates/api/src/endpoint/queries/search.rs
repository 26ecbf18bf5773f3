//! `/search`: total, bars, rows and facets of one snapshot.
//!
//! In: a query and a time range. Out: the answer, in pieces when its rows are long. Limits: [`ROWS_MAX`], [`BARS_MAX`], [`FACETS_MAX`].

use crate::{
    access::{accounts::Right, sessions::User},
    error::ApiError,
    json::{
        rows,
        types::{SearchAnswer, SearchHead, SearchRequest, SearchTail, Table},
    },
    request::extract::Body,
    search::{
        answer::{AnswerWriter, FIRST_BYTES, Shown},
        searching::{self, AnswerWithRows},
    },
    state::State,
};
use axum::{
    extract::State as Shared,
    http::header,
    response::{IntoResponse, Response},
};
use std::sync::Arc;

/// Most rows of one answer: further ones come with `before`.
pub(crate) const ROWS_MAX: usize = 10_000;
/// Most bars.
const BARS_MAX: usize = 500;
/// Most facets of one answer.
pub(crate) const FACETS_MAX: usize = 50;

/// Searches a logspace.
#[utoipa::path(post, path = "/api/v1/search", request_body = SearchRequest, responses(
    (status = 200, body = SearchAnswer), (status = 400, body = crate::error::ErrorAnswer),
    (status = 504, body = crate::error::ErrorAnswer)))]
pub(crate) async fn search(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Body(request): Body<SearchRequest>,
) -> Result<Response, ApiError> {
    check_size(&request)?;
    let (query, mut search) = searching::prepare(&request.query, request.default_operator, &request.time)?;
    search.limit = request.limit;
    search.buckets = request.bars;
    search.facets = request.facets.iter().map(|name| ::query::column(name)).collect();
    let hints: Vec<String> = query.hints().iter().map(|hint| hint.message.clone()).collect();
    let scope = state.scope(&user, request.logspace.as_deref(), Right::Search)?;
    searching::check_pipes(&query, &scope)?;
    let ids = state.ids();
    search.before = request.before.as_ref().map(|id| ids.place(&scope, id)).transpose()?;
    if let Some(id) = &request.snapshot {
        search.until = ids.ends(&scope, id)?;
    }
    let details =
        serde_json::json!({"from_us": search.from_us, "to_us": search.to_us, "before": search.before});
    let query = Arc::new(query);
    let space = scope.space(&user.keyring);
    let shown =
        Shown { state: state.clone(), scope: scope.clone(), query: query.clone(), user: user.name.clone() };
    // Nothing is shown before it is in the ledger; the search may run meanwhile.
    let (noted, written) = tokio::join!(
        state.note(&user, "search", &scope, &request.query, details),
        searching::run(&state, &user.name, search, request.timeout_ms, move |search| {
            let found = searching::answer_with_rows(&space, &shown, &search)?;
            let mut writer = writer(shown, found, hints, &search);
            Ok((writer.piece(FIRST_BYTES)?.unwrap_or_default(), writer))
        }),
    );
    noted?;
    let (first, writer) = written?;
    Ok(([(header::CONTENT_TYPE, "application/json")], writer.into_body(first)).into_response())
}

/// Puts an answer into the API's shape.
pub(crate) fn writer(
    shown: Shown,
    found: AnswerWithRows,
    mut hints: Vec<String>,
    search: &::query::Search,
) -> AnswerWriter {
    let AnswerWithRows { answer, rows, more, notes } = found;
    let scope = &shown.scope;
    hints.extend(answer.hints.iter().cloned());
    if let Some(cut) = answer.timed_out {
        let time = rows::time(cut.searched_from_us);
        hints.push(format!("time ran out: messages received before {time} were not searched"));
    }
    hints.extend(notes);
    let columns = shown.query.columns().map(|names| names.iter().map(|name| name.shown().to_owned()));
    let table = columns.map(|columns| Table { columns: columns.collect(), more, rows: Vec::new() });
    let head = SearchHead {
        snapshot: shown.state.ids().mark(scope, &answer.snapshot),
        total: answer.total,
        took_ms: answer.took_us as f64 / 1000.0,
        scanned: answer.scanned,
        from_us: answer.from_us,
        to_us: answer.to_us,
        bars: rows::bars(answer.histogram),
        table,
    };
    let tail = SearchTail {
        facets: answer.facets.iter().map(rows::facet).collect(),
        hints,
        unread: answer.unread.iter().map(|unread| rows::unread(scope, unread)).collect(),
        searched_from_us: answer.timed_out.map(|cut| cut.searched_from_us),
    };
    AnswerWriter::new(shown, &head, rows, tail, &search.memory, &search.cancel)
}

/// Refuses to show more than one answer holds.
fn check_size(request: &SearchRequest) -> Result<(), ApiError> {
    if request.limit > ROWS_MAX || request.bars > BARS_MAX || request.facets.len() > FACETS_MAX {
        let text = format!("at most {ROWS_MAX} rows, {BARS_MAX} bars, {FACETS_MAX} facets");
        return Err(ApiError::bad_request(text));
    }
    Ok(())
}
