//! `/unlock`, `/lock`, `/seal`: a session's own keys, and the end of the active segment.
//!
//! In: a private key. Out: how many segments it opens, for this session alone; the key lives as long as the session,
//! in memory. Limits: keys of the size of a request.

use crate::{
    access::{accounts::Right, sessions::User},
    error::{ApiError, ErrorCode},
    json::types::{LockRequest, SealAnswer, UnlockAnswer, UnlockRequest},
    request::{extract::Body, guard},
    search::searching,
    state::State,
};
use axum::{
    Json,
    extract::State as Shared,
    http::{HeaderMap, StatusCode},
};
use evidence::{Identity, IdentityError, Keys};
use logspace::Unlocked;
use std::{sync::Arc, time::Duration};

/// Longest wait for a seal: a segment of a million messages takes some seconds.
const SEAL_TIMEOUT: Duration = Duration::from_secs(60);

/// Unlocks a logspace for this session.
#[utoipa::path(post, path = "/api/v1/unlock", request_body = UnlockRequest, responses(
    (status = 200, body = UnlockAnswer), (status = 400, body = crate::error::ErrorAnswer)))]
pub(crate) async fn unlock(
    Shared(state): Shared<Arc<State>>,
    user: User,
    headers: HeaderMap,
    Body(request): Body<UnlockRequest>,
) -> Result<Json<UnlockAnswer>, ApiError> {
    let scope = state.scope(&user, request.logspace.as_deref(), Right::Search)?;
    let token = guard::cookie(&headers).map(str::to_owned).ok_or_else(|| {
        ApiError::bad_request("keys are kept in a session: log in with a cookie, not with a password a call")
    })?;
    state.note(&user, "unlock", &scope, "", serde_json::Value::Null).await?;
    let members = scope.clone();
    let work = move || {
        let keys = Keys::of(vec![Identity::parse(&request.key, request.passphrase.as_deref())?]);
        let mut opened = Vec::new();
        for member in &members.members {
            let unlocked = Unlocked::with(keys.clone());
            let snapshot = member.logspace.snapshot_for(&unlocked);
            if unlocked.count() > 0 {
                opened.push((member.base.clone(), Arc::new(unlocked), snapshot.locked.len()));
            }
        }
        Ok::<_, IdentityError>(opened)
    };
    let opened = searching::blocking(&state, &user.name, Arc::default(), work).await?;
    let opened = opened.map_err(|error| ApiError::bad_request(format!("the key cannot be used: {error}")))?;
    if opened.is_empty() {
        let text = format!("the key opens nothing that is locked in logspace {}", scope.name);
        return Err(ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::BadRequest, text));
    }
    let mut answer = UnlockAnswer { opened: 0, locked: 0 };
    for (base, unlocked, locked) in opened {
        answer.opened += unlocked.count();
        answer.locked += locked;
        if !state.sessions().unlock(&token, &base, unlocked) {
            return Err(ApiError::unauthorized());
        }
    }
    Ok(Json(answer))
}

/// Locks what this session unlocked.
#[utoipa::path(post, path = "/api/v1/lock", request_body = LockRequest, responses((status = 200)))]
pub(crate) async fn lock(
    Shared(state): Shared<Arc<State>>,
    user: User,
    headers: HeaderMap,
    Body(request): Body<LockRequest>,
) -> Result<Json<serde_json::Value>, ApiError> {
    let scope = state.scope(&user, request.logspace.as_deref(), Right::Search)?;
    if let Some(token) = guard::cookie(&headers) {
        scope.members.iter().for_each(|member| state.sessions().lock(token, &member.base));
    }
    Ok(Json(serde_json::json!({})))
}

/// Closes the active segment of a local logspace, and waits until it is sealed.
#[utoipa::path(post, path = "/api/v1/seal", request_body = LockRequest, responses(
    (status = 200, body = SealAnswer), (status = 403, body = crate::error::ErrorAnswer)))]
pub(crate) async fn seal(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Body(request): Body<LockRequest>,
) -> Result<Json<SealAnswer>, ApiError> {
    let scope = state.scope(&user, request.logspace.as_deref(), Right::Administer)?;
    let [member] = scope.members.as_slice() else {
        return Err(ApiError::bad_request("only a local logspace has an active segment"));
    };
    if !scope.is_plain() {
        return Err(ApiError::bad_request("only a local logspace has an active segment"));
    }
    state.note(&user, "seal", &scope, "", serde_json::Value::Null).await?;
    let logspace = Arc::clone(&member.logspace);
    let work = move || logspace.seal_now(SEAL_TIMEOUT);
    // It waits most of its time: it must not take a search's turn.
    let sealed = tokio::task::spawn_blocking(work).await;
    match sealed.map_err(|_| ApiError::internal("the seal ended by a bug"))? {
        Some(sealed_below) => Ok(Json(SealAnswer { sealed_below })),
        None => Err(ApiError::new(
            StatusCode::GATEWAY_TIMEOUT,
            ErrorCode::Timeout,
            "the segment is not sealed yet; what holds it up is in the server's own log",
        )),
    }
}
