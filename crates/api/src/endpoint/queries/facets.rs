//! `/facets`: top values of columns, without rows.
//!
//! In: a query, columns. Out: values with counts. Limits: [`VALUES_MAX`] values of each of 50 columns.

use super::search::FACETS_MAX;
use crate::{
    access::{accounts::Right, sessions::User},
    error::ApiError,
    json::{
        rows,
        types::{FacetsAnswer, FacetsRequest},
    },
    request::extract::Body,
    search::searching,
    state::State,
};
use axum::{Json, extract::State as Shared};
use std::sync::Arc;

/// Most values of a facet.
const VALUES_MAX: usize = 1000;

/// Counts the values of columns.
#[utoipa::path(post, path = "/api/v1/facets", request_body = FacetsRequest, responses(
    (status = 200, body = FacetsAnswer), (status = 400, body = crate::error::ErrorAnswer)))]
pub(crate) async fn facets(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Body(request): Body<FacetsRequest>,
) -> Result<Json<FacetsAnswer>, ApiError> {
    if request.limit > VALUES_MAX || request.columns.len() > FACETS_MAX {
        return Err(ApiError::bad_request(format!("at most {VALUES_MAX} values of {FACETS_MAX} columns")));
    }
    let (query, mut search) = searching::prepare(&request.query, request.default_operator, &request.time)?;
    search.limit = 0;
    search.buckets = 0;
    search.facet_limit = request.limit;
    search.facets = request.columns.iter().map(|name| ::query::column(name)).collect();
    let scope = state.scope(&user, request.logspace.as_deref(), Right::Search)?;
    if let Some(id) = &request.snapshot {
        search.until = state.ids().ends(&scope, id)?;
    }
    let space = scope.space(&user.keyring);
    let details = serde_json::json!({"from_us": search.from_us, "to_us": search.to_us});
    // Nothing is shown before it is in the ledger; the search may run meanwhile.
    let (noted, answer) = tokio::join!(
        state.note(&user, "facets", &scope, &request.query, details),
        searching::run(&state, &user.name, search, request.timeout_ms, move |search| {
            ::query::search(&space, &query, &search)
        }),
    );
    noted?;
    let answer = answer?;
    Ok(Json(FacetsAnswer {
        facets: answer.facets.iter().map(rows::facet).collect(),
        snapshot: state.ids().mark(&scope, &answer.snapshot),
        unread: answer.unread.iter().map(|unread| rows::unread(&scope, unread)).collect(),
    }))
}
