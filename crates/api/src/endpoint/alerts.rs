//! `/alerts`, `/rules/{id}/state`: what rules have reported, and which messages they have evaluated.
//!
//! In: filters; an acknowledgement. Out: alerts of the logspaces that the user may search. Holds nothing: the database is
//! that of crate `alerts`. Limits: [`LIST_MAX`] alerts a call.

pub(crate) mod notifications;
pub(crate) mod preview;
pub(crate) mod rules;

use crate::{
    access::{accounts::Right, sessions::User},
    error::{ApiError, ErrorCode},
    json::alerts::{AcknowledgeRequest, AlertAnswer, AlertList, CoverageAnswer, RuleState},
    request::extract::{Body, Parameters},
    state::State,
};
use alerts::{Alert, AlertFilter, AlertState, Store, StoreError};
use axum::{
    Json,
    extract::{Path, State as Shared},
    http::StatusCode,
};
use serde::Deserialize;
use serde_json::json;
use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};
use utoipa::IntoParams;

/// Alerts of a list without a limit.
const LIST_DEFAULT: usize = 100;
/// Most alerts of a list.
const LIST_MAX: usize = 500;
/// Most alerts with the state of a rule.
const FIRING_MAX: usize = 100;
/// Longest note, in bytes.
const NOTE_BYTES_MAX: usize = 2_000;

/// The alerts to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AlertParameters {
    /// Only of this logspace.
    logspace: Option<String>,
    /// Only of this rule.
    rule: Option<String>,
    /// Only in this state: `firing`, `resolved`, `occurred`, `forgotten`, `ended` or `unknown`.
    state: Option<String>,
    /// Only those with lower numbers.
    before: Option<u64>,
    /// Most alerts, up to 500; 100 if left out.
    limit: Option<usize>,
}

/// Lists alerts, newest first.
#[utoipa::path(get, path = "/api/v1/alerts", params(AlertParameters), responses(
    (status = 200, body = AlertList), (status = 400, body = crate::error::ErrorAnswer)))]
pub(crate) async fn list(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<AlertParameters>,
) -> Result<Json<AlertList>, ApiError> {
    let limit = list_limit(parameters.limit)?;
    let logspaces = listed(&state, &user, parameters.logspace.as_deref())?;
    let filter = AlertFilter {
        logspaces: Some(logspaces),
        rule: parameters.rule,
        state: parameters.state.as_deref().map(alert_state).transpose()?,
        before: parameters.before,
        // One more, to know whether there are more.
        limit: limit + 1,
    };
    let mut found = read(&state, Vec::new(), move |store| store.alerts(&filter)).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    Ok(Json(AlertList { alerts: found.into_iter().map(AlertAnswer::from).collect(), more }))
}

/// Notes that the user knows of an alert: for others to see, and in the ledger. The last acknowledgement counts.
#[utoipa::path(post, path = "/api/v1/alerts/{number}/acknowledge", request_body = AcknowledgeRequest, responses(
    (status = 200, body = AlertAnswer), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn acknowledge(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Path(number): Path<String>,
    Body(request): Body<AcknowledgeRequest>,
) -> Result<Json<AlertAnswer>, ApiError> {
    if request.note.len() > NOTE_BYTES_MAX {
        return Err(ApiError::bad_request(format!("note: at most {NOTE_BYTES_MAX} bytes")));
    }
    let missing = || ApiError::not_found(format!("there is no alert {number}"));
    let id: u64 = number.parse().map_err(|_| missing())?;
    let found = read(&state, None, move |store| match store.alert(id) {
        Err(StoreError::NoAlert) => Ok(None),
        found => found.map(Some),
    });
    let alert: Alert = found.await?.ok_or_else(missing)?;
    // An alert of a logspace that the user may not search is as good as none.
    let may_see = visible(&state, &user)?.contains(&alert.logspace);
    let scope = match may_see {
        true => state.scope(&user, Some(&alert.logspace), Right::Search)?,
        false => return Err(missing()),
    };
    let details = json!({"alert": id, "rule": alert.rule, "note": request.note});
    state.note(&user, "acknowledge-alert", &scope, "", details).await?;
    let changed = read(&state, None, move |store| {
        store.acknowledge(id, &user.name, &request.note, now_us())?;
        store.alert(id).map(Some)
    });
    changed.await?.map(|alert| Json(alert.into())).ok_or_else(missing)
}

/// Says which messages a rule has evaluated, without a gap or with which, and which of its alerts fire.
#[utoipa::path(get, path = "/api/v1/rules/{id}/state", responses(
    (status = 200, body = Vec<RuleState>), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn rule_state(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Path(rule): Path<String>,
) -> Result<Json<Vec<RuleState>>, ApiError> {
    let logspaces = visible(&state, &user)?;
    let id = rule.clone();
    let states = read(&state, Vec::new(), move |store| {
        let mut states = Vec::new();
        for watched in store.watched()?.into_iter().filter(|watched| logspaces.contains(&watched.logspace)) {
            let coverage = store.coverage(&watched.logspace, Some(&id))?;
            if coverage.is_empty() {
                continue;
            }
            let filter = AlertFilter {
                logspaces: Some(vec![watched.logspace.clone()]),
                rule: Some(id.clone()),
                state: Some(AlertState::Firing),
                before: None,
                limit: FIRING_MAX,
            };
            let firing = store.alerts(&filter)?.into_iter().map(AlertAnswer::from).collect();
            let coverage =
                coverage.into_iter().map(|part| CoverageAnswer::of(part, watched.cursor)).collect();
            states.push(RuleState {
                logspace: watched.logspace,
                next_sequence: watched.cursor,
                coverage,
                firing,
            });
        }
        Ok(states)
    })
    .await?;
    match states.is_empty() {
        true => Err(ApiError::not_found(format!("no logspace that you may search has a rule {rule}"))),
        false => Ok(Json(states)),
    }
}

/// The number of entries that a call lists.
fn list_limit(asked: Option<usize>) -> Result<usize, ApiError> {
    match asked.unwrap_or(LIST_DEFAULT) {
        limit @ 1..=LIST_MAX => Ok(limit),
        _ => Err(ApiError::bad_request(format!("limit: 1 to {LIST_MAX}"))),
    }
}

/// The names of the logspaces of a list: one that the user may search, or all.
fn listed(state: &State, user: &User, logspace: Option<&str>) -> Result<Vec<String>, ApiError> {
    match logspace {
        Some(name) => Ok(vec![state.scope(user, Some(name), Right::Search)?.name.clone()]),
        None => visible(state, user),
    }
}

/// The names of the logspaces that a user may search.
fn visible(state: &State, user: &User) -> Result<Vec<String>, ApiError> {
    Ok(state.scopes(user)?.iter().map(|scope| scope.name.clone()).collect())
}

fn alert_state(name: &str) -> Result<AlertState, ApiError> {
    let found = AlertState::ALL.into_iter().find(|state| state.name() == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = AlertState::ALL.into_iter().map(AlertState::name).collect();
        ApiError::bad_request(format!("state: one of {}", names.join(", ")))
    })
}

/// Uses the database on a thread that may wait for the disk; without one, because there never were rules, the answer is
/// `nothing`.
async fn read<T: Send + 'static>(
    state: &Arc<State>,
    nothing: T,
    work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, ApiError> {
    let Some(store) = state.backend().alerts().filter(|store| store.exists()) else { return Ok(nothing) };
    let done = tokio::task::spawn_blocking(move || work(&store)).await;
    let done = done.map_err(|_| ApiError::internal("the call ended by a bug"))?;
    done.map_err(|error| match error {
        StoreError::NoAlert => ApiError::not_found(error.to_string()),
        // The path and the fault are for administrators, in the health of the server.
        StoreError::Open(_) | StoreError::Sqlite(_) => {
            let text = "the database of alerts cannot be used at present; see /health";
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Busy, text)
        }
    })
}

fn now_us() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
