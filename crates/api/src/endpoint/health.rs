//! `/health` and `/metrics`.
//!
//! In: nothing. Out: whether all is well; all figures for Prometheus.

use crate::{
    connection::Caller,
    error::ApiError,
    guard::User,
    state::State,
    types::{HealthAnswer, LogspaceHealth},
};
use axum::{
    Json,
    extract::{ConnectInfo, FromRequestParts, Request, State as Shared},
    http::header,
    response::IntoResponse,
};
use std::sync::Arc;

/// Says whether anything is held back.
#[utoipa::path(get, path = "/api/v1/health", responses((status = 200, body = HealthAnswer)))]
pub(crate) async fn health(Shared(state): Shared<Arc<State>>) -> Json<HealthAnswer> {
    let logspaces: Vec<LogspaceHealth> = state
        .backend()
        .logspaces()
        .into_iter()
        .map(|(name, logspace)| LogspaceHealth { name, error: logspace.stats().last_error })
        .collect();
    let status = if logspaces.iter().all(|logspace| logspace.error.is_none()) { "ok" } else { "degraded" };
    Json(HealthAnswer { status, logspaces })
}

/// Figures for Prometheus: open to this machine, for others behind a login.
pub(crate) async fn metrics(
    Shared(state): Shared<Arc<State>>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    request: Request,
) -> Result<impl IntoResponse, ApiError> {
    let forwarded = request.headers().contains_key("x-forwarded-for");
    if !caller.address.ip().is_loopback() || forwarded {
        let (mut parts, _) = request.into_parts();
        User::from_request_parts(&mut parts, &state).await?;
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], state.backend().metrics()))
}
