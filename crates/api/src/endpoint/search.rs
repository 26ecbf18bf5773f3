//! `/search`: total, bars, rows and facets of one snapshot.
//!
//! In: a query and a time range. Out: the answer. Limits: [`ROWS_MAX`], [`BARS_MAX`], [`FACETS_MAX`].

use crate::{
    accounts::Right,
    error::ApiError,
    extract::Body,
    rows, searching,
    sessions::User,
    state::State,
    types::{Row, SearchAnswer, SearchRequest, Table},
};
use axum::{Json, extract::State as Shared};
use std::sync::Arc;
use store::Document;

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
) -> Result<Json<SearchAnswer>, ApiError> {
    check_size(&request)?;
    let (query, mut search) = searching::prepare(&request.query, request.default_operator, &request.time)?;
    search.limit = request.limit;
    search.bars = request.bars;
    search.facets = request.facets.iter().map(|name| ::query::column(name)).collect();
    let mut hints: Vec<String> = query.hints().iter().map(|hint| hint.message.clone()).collect();
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
    // Nothing is shown before it is in the ledger; it may be looked for meanwhile.
    let (noted, found) = tokio::join!(
        state.note(&user, "search", &scope, &request.query, details),
        searching::run_piped(&state, space, query.clone(), search, request.timeout_ms),
    );
    noted?;
    let found = found?;
    let answer = found.answer;
    hints.extend(answer.hints.iter().cloned());
    if let Some(cut) = answer.timed_out {
        let time = rows::time(cut.searched_from_us);
        hints.push(format!("time ran out: messages received before {time} were not searched"));
    }
    let mut rows: Vec<Row> =
        answer.rows.iter().map(|row| rows::row(ids, &scope, &row.document, &row.highlights)).collect();
    let mut table = None;
    if let Some(piped) = found.piped {
        hints.extend(piped.notes);
        match query.columns() {
            None => {
                let row = |row: &Document| rows::row(ids, &scope, row, &query.highlights(&row.text));
                rows = piped.rows.iter().map(row).collect();
            }
            Some(columns) => {
                table = Some(Table {
                    columns: columns.iter().map(|name| name.shown().to_owned()).collect(),
                    rows: piped.rows.iter().map(|row| rows::cells(row, columns)).collect(),
                    more: piped.more,
                });
            }
        }
    }
    Ok(Json(SearchAnswer {
        snapshot: ids.mark(&scope, &answer.snapshot),
        total: answer.total,
        took_ms: answer.took_us as f64 / 1000.0,
        scanned: answer.scanned,
        from_us: answer.from_us,
        to_us: answer.to_us,
        bars: rows::bars(answer.bars),
        rows,
        facets: answer.facets.iter().map(rows::facet).collect(),
        hints,
        unread: answer.unread.iter().map(|unread| rows::unread(&scope, unread)).collect(),
        searched_from_us: answer.timed_out.map(|cut| cut.searched_from_us),
        table,
    }))
}

/// Refuses to show more than one answer holds.
fn check_size(request: &SearchRequest) -> Result<(), ApiError> {
    if request.limit > ROWS_MAX || request.bars > BARS_MAX || request.facets.len() > FACETS_MAX {
        let text = format!("at most {ROWS_MAX} rows, {BARS_MAX} bars, {FACETS_MAX} facets");
        return Err(ApiError::bad_request(text));
    }
    Ok(())
}
