//! `/health` and `/metrics`.
//!
//! In: nothing. Out: whether all is well; all figures for Prometheus.

use crate::{
    access::{
        accounts::{EVERY_LOGSPACE, Right},
        sessions::{Activity, User},
    },
    error::ApiError,
    json::types::{HealthAnswer, HealthStatus, LogspaceHealth},
    request::{bearer, client::is_forwarded, connection::Caller, guard},
    scope::{Scope, ScopeKind},
    state::State,
};
use axum::{
    Json,
    extract::{ConnectInfo, FromRequestParts, Request, State as Shared},
    http::header,
    response::IntoResponse,
};
use logspace::Logspace;
use query::ResultCacheCounters;
use std::{num::NonZero, sync::Arc};

/// Reports whether anything is held back; the logspaces concerned, to users who may search them; the reasons, to
/// those who may administer them.
#[utoipa::path(get, path = "/api/v1/health", responses((status = 200, body = HealthAnswer)))]
pub(crate) async fn health(
    Shared(state): Shared<Arc<State>>,
    request: Request,
) -> Result<Json<HealthAnswer>, ApiError> {
    let scopes = state.backend().scopes();
    let error = |scope: &Scope| local(scope)?.stats().last_error;
    let starting = |scope: &Scope| local(scope)?.snapshot().starting.map(|starting| starting.count);
    let values_without_column =
        |scope: &Scope| NonZero::new(local(scope)?.stats().values_without_column).map(NonZero::get);
    let left_out = state.backend().not_running();
    let at_sources = state.backend().source_troubles();
    let at_destinations = state.backend().destination_troubles();
    let (at_objects, at_rules) = slow_troubles(&state).await?;
    let all = [&left_out, &at_sources, &at_destinations, &at_objects, &at_rules];
    let has_more = all.iter().any(|troubles| !troubles.is_empty());
    let is_well = !has_more && scopes.iter().all(|scope| error(scope).is_none());
    let is_starting = scopes.iter().any(|scope| starting(scope).is_some());
    let status = match (is_well, is_starting) {
        (false, _) => HealthStatus::Degraded,
        (true, true) => HealthStatus::Starting,
        (true, false) => HealthStatus::Ok,
    };
    let (mut not_running, mut sources, mut destinations, mut objects, mut rules) = Default::default();
    let mut logspaces = Vec::new();
    let user = user(&state, request).await?;
    if let Some(user) = user {
        if has_more && state.may(&user, EVERY_LOGSPACE, Right::Administer)? {
            (not_running, sources, destinations, objects, rules) =
                (left_out, at_sources, at_destinations, at_objects, at_rules);
        }
        for scope in state.scopes(&user)? {
            let error = match error(&scope) {
                Some(_) if !state.may(&user, &scope.name, Right::Administer)? => {
                    Some("something is wrong; who administers the logspace sees what".to_owned())
                }
                error => error,
            };
            logspaces.push(LogspaceHealth {
                name: scope.name.clone(),
                error,
                starting: starting(&scope),
                values_without_column: values_without_column(&scope),
            });
        }
    }
    Ok(Json(HealthAnswer { status, logspaces, not_running, sources, destinations, objects, rules }))
}

/// The user of a request, if it has a session or an API token.
async fn user(state: &Arc<State>, request: Request) -> Result<Option<User>, ApiError> {
    let (mut parts, _) = request.into_parts();
    match guard::session_token(&parts.headers, &parts.extensions) {
        _ if bearer::text(&parts.headers).is_some() => {
            User::from_request_parts(&mut parts, state).await.map(Some)
        }
        // Monitors and pages ask again and again, whether somebody looks or not.
        Some(token) => state.session(token, Activity::Timer),
        None => Ok(None),
    }
}

/// The faults of saved objects and of rules. Reading them may wait for a change that is being made.
async fn slow_troubles(state: &Arc<State>) -> Result<(Vec<String>, Vec<String>), ApiError> {
    let state = Arc::clone(state);
    let troubles =
        tokio::task::spawn_blocking(move || (state.objects().troubles(), state.backend().rule_troubles()))
            .await;
    troubles.map_err(|_| ApiError::internal("the call ended by a bug"))
}

/// The logspace behind a scope, where the scope is that logspace itself.
fn local(scope: &Scope) -> Option<&Logspace> {
    scope.members.first().filter(|_| scope.kind == ScopeKind::Local).map(|member| &*member.logspace)
}

/// Returns figures for Prometheus: open to this machine, for others after a login.
pub(crate) async fn metrics(
    Shared(state): Shared<Arc<State>>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    request: Request,
) -> Result<impl IntoResponse, ApiError> {
    if !caller.address.ip().is_loopback() || is_forwarded(request.headers()) {
        let (mut parts, _) = request.into_parts();
        let user = User::from_request_parts(&mut parts, &state).await?;
        if !state.may_read_metrics(&user)? {
            let text = "figures are for who may administer every logspace".to_owned();
            return Err(state.refuse(&user, "", Right::Administer, text));
        }
    }
    Ok((
        [(header::CONTENT_TYPE, "text/plain; version=0.0.4")],
        state.backend().metrics() + &of_results(state.results().counters()),
    ))
}

/// The figures of the results that are kept for the next searches.
fn of_results(counters: ResultCacheCounters) -> String {
    let ResultCacheCounters { bytes, hits, misses, evicted } = counters;
    let figures = [
        ("duramen_kept_results_bytes", "gauge", bytes),
        ("duramen_kept_results_used_total", "counter", hits),
        ("duramen_kept_results_missed_total", "counter", misses),
        ("duramen_kept_results_evicted_total", "counter", evicted),
    ];
    let lines = figures.map(|(name, kind, value)| format!("# TYPE {name} {kind}\n{name} {value}\n"));
    lines.concat()
}
