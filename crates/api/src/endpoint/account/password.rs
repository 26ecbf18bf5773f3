//! `/password`: a user's own password.
//!
//! In: the password and the new one. Out: the number of sessions that ended. Holds nothing. Limits: wrong passwords cost time
//! as log-ins do. The session of the call stays open, all others of the user end: somebody else may have the old password.

use super::{change, sessions};
use crate::{
    access::sessions::{Proof, User},
    error::ApiError,
    json::sessions::{EndedSessions, PasswordRequest},
    request::{client::client, connection::Caller, extract::Body, guard},
    state::State,
};
use axum::{
    Json,
    extract::{ConnectInfo, State as Shared},
    http::HeaderMap,
};
use serde_json::json;
use std::sync::Arc;

/// Changes the password of the caller, and ends the other sessions.
#[utoipa::path(post, path = "/api/v1/password", request_body = PasswordRequest, responses(
    (status = 200, body = EndedSessions), (status = 400, body = crate::error::ErrorAnswer),
    (status = 401, body = crate::error::ErrorAnswer), (status = 429, body = crate::error::ErrorAnswer)))]
pub(crate) async fn change(
    Shared(state): Shared<Arc<State>>,
    user: User,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Body(request): Body<PasswordRequest>,
) -> Result<Json<EndedSessions>, ApiError> {
    let client = client(&state.backend().policy(), caller.address.ip(), &headers);
    guard::confirm(&state, &user.name, &request.password, client).await?;
    let turn = guard::hashing_turn(&state).await?;
    let details = json!({"user": user.name, "address": client});
    let (name, new) = (user.name.clone(), request.new_password);
    change::recorded(&state, &user, "set-password", details, move |state| {
        let _turn = turn;
        state.accounts().set_password(&name, &new)
    })
    .await?;
    let failed = |error: accounts::AccountError| ApiError::internal(error.to_string());
    let credential = state.accounts().credential(&user.name).map_err(failed)?;
    let present = match &user.proof {
        Proof::Session(hash, _) => Some(*hash),
        Proof::Password(_) | Proof::Token(_) => None,
    };
    let ended = {
        let mut sessions = state.sessions();
        let ended = sessions.end(&user.name, |hash| present.as_ref() != Some(hash));
        if let (Some(hash), Some(credential)) = (present, credential) {
            sessions.renew(&hash, credential);
        }
        ended
    };
    sessions::saved(&state, ended).await
}
