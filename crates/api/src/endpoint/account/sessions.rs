//! `/sessions`: the open sessions of users.
//!
//! In: whose sessions, or the id of one. Out: a list; ended sessions. Holds nothing. No API token sees or ends sessions.

use super::owner::{OwnerParameters, administers};
use crate::{
    access::sessions::{Proof, User},
    error::ApiError,
    json::sessions::{EndedSessions, OpenSession, OpenSessions},
    request::{
        client::client,
        connection::Caller,
        extract::{Parameters, PathParts},
    },
    state::{State, now_s},
};
use accounts::{EVERY_LOGSPACE, Right};
use axum::{
    Json,
    extract::{ConnectInfo, State as Shared},
    http::HeaderMap,
};
use serde_json::json;
use std::sync::Arc;

/// Lists open sessions.
#[utoipa::path(get, path = "/api/v1/sessions", params(OwnerParameters), responses(
    (status = 200, body = OpenSessions), (status = 403, body = crate::error::ErrorAnswer)))]
pub(crate) async fn list(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<OwnerParameters>,
) -> Result<Json<OpenSessions>, ApiError> {
    let owner = parameters.user.as_deref().unwrap_or(&user.name);
    administers(&state, &user, owner)?;
    let open = state.sessions().of_user(owner, &state.backend().policy(), now_s());
    let present = present(&user);
    let sessions = open.into_iter().map(|session| OpenSession::of(session, present.as_deref())).collect();
    Ok(Json(OpenSessions { sessions }))
}

/// Ends a session: one of the caller, or of others for users who may administer every logspace.
#[utoipa::path(delete, path = "/api/v1/sessions/{id}", responses(
    (status = 200, body = EndedSessions), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn end(
    Shared(state): Shared<Arc<State>>,
    user: User,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    PathParts(id): PathParts<String>,
) -> Result<Json<EndedSessions>, ApiError> {
    let missing = || ApiError::not_found("there is no such session");
    let owner = state.sessions().owner(&id).ok_or_else(missing)?;
    // Others do not learn that there is such a session.
    if owner != user.name && !state.may(&user, EVERY_LOGSPACE, Right::Administer)? {
        return Err(missing());
    }
    let address = client(&state.backend().policy(), caller.address.ip(), &headers);
    let details = json!({"user": owner, "session": id, "address": address});
    state.note_change(&user, "end-session", details).await?;
    let ended = state.sessions().end(&owner, |hash| hash.id() == id);
    saved(&state, ended).await
}

/// Ends all sessions of the caller but the one of the call, or all of another user for those who may administer every
/// logspace.
#[utoipa::path(delete, path = "/api/v1/sessions", params(OwnerParameters), responses(
    (status = 200, body = EndedSessions), (status = 403, body = crate::error::ErrorAnswer)))]
pub(crate) async fn end_all(
    Shared(state): Shared<Arc<State>>,
    user: User,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Parameters(parameters): Parameters<OwnerParameters>,
) -> Result<Json<EndedSessions>, ApiError> {
    let owner = parameters.user.unwrap_or_else(|| user.name.clone());
    administers(&state, &user, &owner)?;
    let address = client(&state.backend().policy(), caller.address.ip(), &headers);
    state.note_change(&user, "end-session", json!({"user": owner, "address": address})).await?;
    let present = present(&user);
    let ended = state.sessions().end(&owner, |hash| present.as_ref() != Some(&hash.id()));
    saved(&state, ended).await
}

/// Returns the id of the session of a call.
fn present(user: &User) -> Option<String> {
    match &user.proof {
        Proof::Session(hash, _) => Some(hash.id()),
        Proof::Password(_) | Proof::Token(_) => None,
    }
}

/// Answers when the file no longer has the sessions: they must not come back with a restart.
pub(super) async fn saved(state: &Arc<State>, ended: usize) -> Result<Json<EndedSessions>, ApiError> {
    state.save_sessions().await.map_err(|error| {
        ApiError::internal(format!("ended, but the file of sessions cannot be written: {error}"))
    })?;
    Ok(Json(EndedSessions { ended }))
}
