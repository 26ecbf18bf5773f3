//! `/columns` and `/values`: the data for completion.
//!
//! In: a logspace, a column, a prefix. Out: names and values with counts. Limits: [`VALUES_MAX`] values.

use crate::{
    access::{accounts::Right, sessions::User},
    error::ApiError,
    json::{
        rows,
        types::{ColumnAnswer, ValueCount},
    },
    request::extract::Parameters,
    search::searching,
    state::State,
};
use axum::{Json, extract::State as Shared};
use lookup::CancelToken;
use serde::Deserialize;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use utoipa::IntoParams;

/// Most values offered.
const VALUES_MAX: usize = 100;
/// Completion that takes longer is useless.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The logspace whose columns are listed.
#[derive(Deserialize, IntoParams)]
pub(crate) struct ColumnParameters {
    /// Name; may be left out when there is one.
    logspace: Option<String>,
}

/// Lists the columns of a logspace.
#[utoipa::path(get, path = "/api/v1/columns", params(ColumnParameters), responses((status = 200, body = Vec<ColumnAnswer>)))]
pub(crate) async fn columns(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<ColumnParameters>,
) -> Result<Json<Vec<ColumnAnswer>>, ApiError> {
    let space = state.scope(&user, parameters.logspace.as_deref(), Right::Search)?.space(&user.keyring);
    let cancelled = Arc::default();
    let cancel = CancelToken::new(Arc::clone(&cancelled), Some(Instant::now() + TIMEOUT));
    let work = move || query::columns(&space, &cancel);
    let found = searching::blocking(&state, &user.name, cancelled, work).await?;
    let found = found.map_err(|error| rows::search_error(&error, TIMEOUT))?;
    let answer = found.iter().map(|column| ColumnAnswer {
        name: query::column_name(&column.column).to_owned(),
        documents: column.documents,
        numeric: column.numeric,
    });
    Ok(Json(answer.collect()))
}

/// The column whose values are listed, and their prefix.
#[derive(Deserialize, IntoParams)]
pub(crate) struct ValueParameters {
    /// Name; may be left out when there is one.
    logspace: Option<String>,
    /// Column.
    column: String,
    /// Only values with this prefix, case ignored.
    #[serde(default)]
    prefix: String,
    /// Most values, up to 100.
    limit: Option<usize>,
}

/// Lists values of a column.
#[utoipa::path(get, path = "/api/v1/values", params(ValueParameters), responses((status = 200, body = Vec<ValueCount>)))]
pub(crate) async fn values(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<ValueParameters>,
) -> Result<Json<Vec<ValueCount>>, ApiError> {
    let space = state.scope(&user, parameters.logspace.as_deref(), Right::Search)?.space(&user.keyring);
    let cancelled = Arc::default();
    let cancel = CancelToken::new(Arc::clone(&cancelled), Some(Instant::now() + TIMEOUT));
    let column = query::column(&parameters.column);
    let limit = parameters.limit.unwrap_or(20).min(VALUES_MAX);
    let memory = state.memory().budget(&cancel);
    let work = move || query::values(&space, &column, &parameters.prefix, limit, &cancel, &memory);
    let found = searching::blocking(&state, &user.name, cancelled, work).await?;
    let found = found.map_err(|error| rows::search_error(&error, TIMEOUT))?;
    let answer = found.into_iter().map(|(value, count)| ValueCount { value: rows::text(&value), count });
    Ok(Json(answer.collect()))
}
