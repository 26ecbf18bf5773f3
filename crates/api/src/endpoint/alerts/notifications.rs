//! `/silences`, `/notifications`, `/channels/{id}/test`: who is not notified for a time, and what became of each change of an
//! alert.
//!
//! In: silences, filters. Out: the same; decisions about alerts of the logspaces that the user may search. Holds nothing: the
//! database is that of crate `alerts`. Silences and tests concern everybody, so that they are for those who administer every
//! logspace, and each is in the ledger before it is made. Limits: as many decisions a call as alerts, and those of silences.

use super::{list_limit, listed, now_us, read};
use crate::{
    access::{
        accounts::{EVERY_LOGSPACE, Right},
        sessions::User,
    },
    error::ApiError,
    json::notifications::{
        DecisionAnswer, DecisionList, NotificationAnswer, SilenceAnswer, SilenceList, SilenceRequest,
        TestAnswer,
    },
    request::extract::{Body, Parameters},
    state::State,
};
use alerts::StoreError;
use axum::{
    Json,
    extract::{Path, State as Shared},
    http::StatusCode,
};
use evidence::LedgerEntry;
use notify::{DecisionFilter, NewSilence, SilenceError, TestError};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::IntoParams;

/// The decisions to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DecisionParameters {
    /// Only about alerts of this logspace.
    logspace: Option<String>,
    /// Only about the alert with this number.
    alert: Option<u64>,
    /// Only of this route.
    route: Option<String>,
    /// Only those with lower numbers.
    before: Option<u64>,
    /// Most decisions, up to 500; 100 if left out.
    limit: Option<usize>,
}

/// Says what became of changes of alerts, newest first: who was notified, with which answers, and why others were not.
#[utoipa::path(get, path = "/api/v1/notifications", params(DecisionParameters), responses(
    (status = 200, body = DecisionList), (status = 400, body = crate::error::ErrorAnswer)))]
pub(crate) async fn list(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<DecisionParameters>,
) -> Result<Json<DecisionList>, ApiError> {
    let limit = list_limit(parameters.limit)?;
    let logspaces = listed(&state, &user, parameters.logspace.as_deref())?;
    let DecisionParameters { alert, route, before, .. } = parameters;
    // One more, to know whether there are more.
    let filter = DecisionFilter { logspaces: Some(logspaces), alert, route, before, limit: limit + 1 };
    let mut found = read(&state, Vec::new(), move |store| notify::decisions(store, &filter)).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    Ok(Json(DecisionList { decisions: found.into_iter().map(DecisionAnswer::from).collect(), more }))
}

/// Returns a notification with its attempts.
#[utoipa::path(get, path = "/api/v1/notifications/{id}", responses(
    (status = 200, body = NotificationAnswer), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn one(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Path(id): Path<String>,
) -> Result<Json<NotificationAnswer>, ApiError> {
    administrator(&state, &user)?;
    let missing = ApiError::not_found(format!("there is no notification {id}"));
    let found = read(&state, None, move |store| notify::notification(store, &id)).await?;
    found.map(|sent| Json(sent.into())).ok_or(missing)
}

/// Lists silences, newest first.
#[utoipa::path(get, path = "/api/v1/silences", responses((status = 200, body = SilenceList)))]
pub(crate) async fn silences(
    Shared(state): Shared<Arc<State>>,
    user: User,
) -> Result<Json<SilenceList>, ApiError> {
    administrator(&state, &user)?;
    let found = read(&state, Vec::new(), notify::silences).await?;
    Ok(Json(SilenceList { silences: found.into_iter().map(SilenceAnswer::from).collect() }))
}

/// Mutes alerts for a time.
#[utoipa::path(post, path = "/api/v1/silences", request_body = SilenceRequest, responses(
    (status = 201, body = SilenceAnswer), (status = 400, body = crate::error::ErrorAnswer)))]
pub(crate) async fn silence(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Body(request): Body<SilenceRequest>,
) -> Result<(StatusCode, Json<SilenceAnswer>), ApiError> {
    administrator(&state, &user)?;
    let now_us = now_us();
    let SilenceRequest { query, from_us, to_us, reason } = request;
    let from_us = from_us.unwrap_or(now_us);
    let details = json!({"query": query, "from_us": from_us, "to_us": to_us, "reason": reason});
    note(&state, &user, "silence-alerts", details).await?;
    let wanted = NewSilence { query, from_us, to_us, author: user.name, reason };
    let made = read(&state, Err(SilenceError::NoSilence), move |store| {
        refused(notify::silence_alerts(store, &wanted, now_us))
    });
    match made.await? {
        Ok(silence) => Ok((StatusCode::CREATED, Json(silence.into()))),
        Err(SilenceError::NoSilence) => Err(ApiError::bad_request("there are no alerts on this server yet")),
        Err(error) => Err(ApiError::bad_request(error.to_string())),
    }
}

/// Ends a silence before its time: alerts that it has muted, and that still fire, are notified then.
#[utoipa::path(delete, path = "/api/v1/silences/{number}", responses(
    (status = 200, body = SilenceAnswer), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn end_silence(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Path(number): Path<String>,
) -> Result<Json<SilenceAnswer>, ApiError> {
    administrator(&state, &user)?;
    let missing = || ApiError::not_found(SilenceError::NoSilence.to_string());
    let number: u64 = number.parse().map_err(|_| missing())?;
    note(&state, &user, "end-silence", json!({"silence": number})).await?;
    let ended = read(&state, Err(SilenceError::NoSilence), move |store| {
        refused(notify::end_silence(store, number, &user.name, now_us()))
    });
    ended.await?.map(|silence| Json(silence.into())).map_err(|_| missing())
}

/// Sends a test over a channel, and enables it again if its receiver was gone.
#[utoipa::path(post, path = "/api/v1/channels/{id}/test", responses(
    (status = 202, body = TestAnswer), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn test(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Path(channel): Path<String>,
) -> Result<(StatusCode, Json<TestAnswer>), ApiError> {
    administrator(&state, &user)?;
    note(&state, &user, "test-channel", json!({"channel": channel})).await?;
    let (server, name) = (state.host().to_owned(), channel.clone());
    let sent = read(&state, None, move |store| match notify::test_channel(store, &server, &name, now_us()) {
        Ok(id) => Ok(Some(id)),
        Err(TestError::NoChannel) => Ok(None),
        Err(TestError::Store(error)) => Err(error),
    });
    let id = sent.await?.ok_or_else(|| ApiError::not_found(format!("there is no channel {channel}")))?;
    Ok((StatusCode::ACCEPTED, Json(TestAnswer { id })))
}

/// Separates what the caller has to know from what the database does not answer.
fn refused<T>(done: Result<T, SilenceError>) -> Result<Result<T, SilenceError>, StoreError> {
    match done {
        Err(SilenceError::Store(error)) => Err(error),
        done => Ok(done),
    }
}

/// Refuses users who do not administer every logspace, and records that.
fn administrator(state: &State, user: &User) -> Result<(), ApiError> {
    if state.may(user, EVERY_LOGSPACE, Right::Administer)? {
        return Ok(());
    }
    let text =
        format!("{} may not administer every logspace, which silences and tests of channels need", user.name);
    Err(state.refuse(user, EVERY_LOGSPACE, Right::Administer, text))
}

/// Records a change in the ledger; without that it is not made.
async fn note(state: &Arc<State>, user: &User, action: &'static str, details: Value) -> Result<(), ApiError> {
    let (logspace, question) = (String::new(), String::new());
    let entry = LedgerEntry { at_us: now_us(), user: user.name.clone(), action, logspace, question, details };
    let state = Arc::clone(state);
    let noted = tokio::task::spawn_blocking(move || state.backend().note(&entry)).await;
    match noted {
        Ok(Ok(())) => Ok(()),
        _ => Err(ApiError::internal("the ledger cannot be written: nothing is changed")),
    }
}
