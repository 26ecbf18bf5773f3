//! `/invitation`: sets the password of a user who was invited.
//!
//! In: the text of an invitation, and a password. Out: the name of the user. Holds nothing. Nobody is logged in for these calls.
//! Limits: texts that are not accepted are counted with the failed log-ins of their address, and answered with 429 after too many.

use super::{change, sessions};
use crate::{
    access::{
        security_event::SecurityEvent,
        sessions::{Proof, User},
    },
    error::ApiError,
    json::users::{AcceptRequest, InvitationRequest, InvitedAnswer},
    request::{client::client, connection::Caller, extract::Body, guard, security},
    scope::Keyring,
    state::{State, now_s},
};
use accounts::{AccountError, CredentialId, PASSWORD_CHARS_MIN, PASSWORD_CHARS_MIN_WITH_FACTOR};
use axum::{
    Json,
    extract::{ConnectInfo, State as Shared},
    http::HeaderMap,
};
use serde_json::json;
use std::{net::IpAddr, sync::Arc};

/// Names the user that an invitation is for.
#[utoipa::path(post, path = "/api/v1/invitation", request_body = InvitationRequest, responses(
    (status = 200, body = InvitedAnswer), (status = 404, body = crate::error::ErrorAnswer),
    (status = 429, body = crate::error::ErrorAnswer)))]
pub(crate) async fn show(
    Shared(state): Shared<Arc<State>>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Body(request): Body<InvitationRequest>,
) -> Result<Json<InvitedAnswer>, ApiError> {
    let address = client(&state.backend().policy(), caller.address.ip(), &headers);
    let (user, expires_s) = invited(&state, &request.invitation, address).await?;
    answer(&state, user, Some(expires_s))
}

/// Sets the password of the user that an invitation is for, and uses the invitation up.
#[utoipa::path(post, path = "/api/v1/invitation/accept", request_body = AcceptRequest, responses(
    (status = 200, body = InvitedAnswer), (status = 400, body = crate::error::ErrorAnswer),
    (status = 404, body = crate::error::ErrorAnswer), (status = 429, body = crate::error::ErrorAnswer)))]
pub(crate) async fn accept(
    Shared(state): Shared<Arc<State>>,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Body(request): Body<AcceptRequest>,
) -> Result<Json<InvitedAnswer>, ApiError> {
    let address = client(&state.backend().policy(), caller.address.ip(), &headers);
    let AcceptRequest { invitation, new_password } = request;
    let (name, _) = invited(&state, &invitation, address).await?;
    let turn = guard::hashing_turn(&state).await?;
    // Only the name is written down: an invitation opens no session.
    let proof = Proof::Password(CredentialId([0; 32]));
    let user = User { name: name.clone(), proof, keyring: Keyring::new() };
    let details = json!({"user": name, "address": address});
    change::recorded(&state, &user, "accept-invitation", details, move |state| {
        let _turn = turn;
        state.accounts().accept_invitation(&invitation, &new_password, now_s()).map(drop)
    })
    .await?;
    let ended = state.sessions().end(&name, |_| true);
    let _ended = sessions::saved(&state, ended).await?;
    answer(&state, name, None)
}

fn answer(state: &State, user: String, expires_s: Option<u64>) -> Result<Json<InvitedAnswer>, ApiError> {
    let chars_min = match state.accounts().factor(&user).map_err(change::answer)? {
        Some(_) => PASSWORD_CHARS_MIN_WITH_FACTOR,
        None => PASSWORD_CHARS_MIN,
    };
    Ok(Json(InvitedAnswer::new(user, expires_s, chars_min)))
}

/// Returns the user of an invitation; a refusal is counted and written down.
async fn invited(state: &Arc<State>, text: &str, address: IpAddr) -> Result<(String, u64), ApiError> {
    let error = match state.accounts().invited(text, now_s()) {
        Ok(invited) => return Ok(invited),
        Err(error) => error,
    };
    if let AccountError::Invitation(fault) = &error {
        if let Err(wait) = state.credentials().token_refused(address) {
            let event = SecurityEvent::LockedOut { user: String::new(), address };
            let _ = security::report(state, event).await;
            return Err(ApiError::too_many_attempts(wait));
        }
        let event = SecurityEvent::InvitationRefused { reason: fault.to_string(), address };
        // The call is refused in any case.
        let _ = security::report(state, event).await;
    }
    Err(change::answer(error))
}
