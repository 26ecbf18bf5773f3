//! `/search`: total, bars, rows and facets of one snapshot.
//!
//! In: a query and a time range. Out: the answer. Limits: [`ROWS_MAX`], [`BARS_MAX`], [`FACETS_MAX`].

use crate::{
    error::ApiError,
    extract::Body,
    guard::User,
    rows, searching,
    state::State,
    types::{SearchAnswer, SearchRequest},
};
use axum::{Json, extract::State as Shared};
use std::sync::Arc;

/// Most rows of one answer: further ones come with `before`.
pub(crate) const ROWS_MAX: usize = 10_000;
/// Most bars.
const BARS_MAX: usize = 500;
/// Most facets of one answer.
pub(crate) const FACETS_MAX: usize = 50;

/// Searches a logspace.
#[utoipa::path(post, path = "/api/v1/search", request_body = SearchRequest, responses(
    (status = 200, body = SearchAnswer), (status = 400, body = crate::types::ErrorAnswer),
    (status = 504, body = crate::types::ErrorAnswer)))]
pub(crate) async fn search(
    Shared(state): Shared<Arc<State>>,
    _user: User,
    Body(request): Body<SearchRequest>,
) -> Result<Json<SearchAnswer>, ApiError> {
    if request.limit > ROWS_MAX || request.bars > BARS_MAX || request.facets.len() > FACETS_MAX {
        let text = format!("at most {ROWS_MAX} rows, {BARS_MAX} bars, {FACETS_MAX} facets");
        return Err(ApiError::bad_request(text));
    }
    let (query, mut search) = searching::prepare(&request.query, request.default_operator, &request.time)?;
    search.limit = request.limit;
    search.bars = request.bars;
    search.before = request.before;
    search.facets = request.facets.iter().map(|name| ::query::column(name)).collect();
    let mut hints: Vec<String> = query.hints().iter().map(|hint| hint.message.clone()).collect();
    let logspace = state.logspace(request.logspace.as_deref())?;
    let answer = searching::run(&state, logspace, query, search, request.timeout_ms).await?;
    hints.extend(answer.hints.iter().cloned());
    if let Some(cut) = answer.timed_out {
        hints.push(format!("time ran out: messages before sequence {} were not searched", cut.searched_from));
    }
    Ok(Json(SearchAnswer {
        snapshot: answer.snapshot,
        total: answer.total,
        took_ms: answer.took_us as f64 / 1000.0,
        scanned: answer.scanned,
        from_us: answer.from_us,
        to_us: answer.to_us,
        bars: rows::bars(answer.bars),
        rows: answer.rows.iter().map(|row| rows::row(&row.document, &row.highlights)).collect(),
        facets: answer.facets.iter().map(rows::facet).collect(),
        hints,
        searched_from: answer.timed_out.map(|cut| cut.searched_from),
    }))
}
