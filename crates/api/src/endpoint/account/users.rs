//! `/users`: the users of the server, for those who may administer every logspace.
//!
//! In: names, and the password of the caller for each change. Out: a list; invitations, once. Holds nothing: users are in the
//! file of users, which `duramen user` changes as well. Limits: the last administrator stays; no API token sees or changes users.

use super::{change, owner::Administrator, sessions};
use crate::{
    access::sessions::User,
    error::ApiError,
    json::{
        factor::ConfirmRequest,
        users::{NewUserRequest, UserAction, UserAnswer, UserChanged, UserList},
    },
    request::extract::{Body, PathParts},
    state::{State, now_s},
};
use accounts::{AccountError, NewInvitation};
use axum::{Json, extract::State as Shared, http::StatusCode};
use serde_json::json;
use std::sync::Arc;

/// Lists the users, with their rights and where these come from.
#[utoipa::path(get, path = "/api/v1/users", responses(
    (status = 200, body = UserList), (status = 403, body = crate::error::ErrorAnswer)))]
pub(crate) async fn list(
    Shared(state): Shared<Arc<State>>,
    caller: Administrator,
) -> Result<Json<UserList>, ApiError> {
    let _ = caller;
    let facts = change::on_thread(&state, |state| {
        Ok::<_, AccountError>((state.accounts().overview()?, state.accounts().roles()?))
    });
    let (facts, roles) = facts.await?.map_err(change::answer)?;
    let sessions = state.sessions().by_user(&state.backend().policy(), now_s());
    let user = |facts: accounts::UserFacts| {
        let (count, used_s) = sessions.get(&facts.name).copied().unzip();
        let seen_s = state.last_seen_s(&facts).max(used_s);
        let seen_us = seen_s.map(|seen_s| seen_s.saturating_mul(1_000_000));
        UserAnswer { tokens: facts.token_ids.len(), sessions: count.unwrap_or_default(), seen_us, facts }
    };
    let logspaces = state.backend().scopes().iter().map(|scope| scope.name.clone()).collect();
    Ok(Json(UserList { users: facts.into_iter().map(user).collect(), roles, logspaces }))
}

/// Adds a user without rights, who sets a password by an invitation.
#[utoipa::path(post, path = "/api/v1/users", request_body = NewUserRequest, responses(
    (status = 201, body = UserChanged), (status = 400, body = crate::error::ErrorAnswer),
    (status = 401, body = crate::error::ErrorAnswer), (status = 403, body = crate::error::ErrorAnswer),
    (status = 409, body = crate::error::ErrorAnswer)))]
pub(crate) async fn add(
    Shared(state): Shared<Arc<State>>,
    caller: Administrator,
    Body(request): Body<NewUserRequest>,
) -> Result<(StatusCode, Json<UserChanged>), ApiError> {
    caller.confirm(&state, &request.password).await?;
    let name = request.name;
    let details = json!({"user": name, "address": caller.address});
    let add = move |state: &State| state.accounts().add_invited(&name, now_s()).map(Some);
    Ok((StatusCode::CREATED, Json(changed(&state, &caller.user, "add-user", details, add).await?)))
}

/// Locks a user out, lets them in, removes them, resets their second factor, or invites them to set a password.
#[utoipa::path(post, path = "/api/v1/users/{name}/{action}", request_body = ConfirmRequest,
    params(("name" = String, Path), ("action" = UserAction, Path)), responses(
    (status = 200, body = UserChanged), (status = 401, body = crate::error::ErrorAnswer),
    (status = 403, body = crate::error::ErrorAnswer), (status = 404, body = crate::error::ErrorAnswer),
    (status = 409, body = crate::error::ErrorAnswer)))]
pub(crate) async fn act(
    Shared(state): Shared<Arc<State>>,
    caller: Administrator,
    PathParts((name, action)): PathParts<(String, UserAction)>,
    Body(request): Body<ConfirmRequest>,
) -> Result<Json<UserChanged>, ApiError> {
    caller.confirm(&state, &request.password).await?;
    let details = json!({"user": name, "address": caller.address});
    let work = {
        let name = name.clone();
        move |state: &State| {
            let accounts = state.accounts();
            match action {
                UserAction::Lock => accounts.lock(&name).map(|()| None),
                UserAction::Unlock => accounts.unlock(&name).map(|()| None),
                UserAction::Remove => accounts.remove(&name).map(|()| None),
                UserAction::ResetFactor => accounts.remove_factor(&name).map(|()| None),
                UserAction::Invite => accounts.invite(&name, now_s()).map(Some),
            }
        }
    };
    let answer = changed(&state, &caller.user, ledger_action(action), details, work).await?;
    if matches!(action, UserAction::Lock | UserAction::Remove) {
        // They are over already; with them go the keys that they unlocked logspaces with.
        let ended = state.sessions().end(&name, |_| true);
        let _ended = sessions::saved(&state, ended).await?;
    }
    Ok(Json(answer))
}

/// Returns the name of a change in the ledger, the same as that of the command line.
fn ledger_action(action: UserAction) -> &'static str {
    match action {
        UserAction::Lock => "lock-user",
        UserAction::Unlock => "unlock-user",
        UserAction::Remove => "remove-user",
        UserAction::ResetFactor => "reset-factor",
        UserAction::Invite => "invite-user",
    }
}

/// Makes a change that may make an invitation, in the ledger before and again if it fails.
async fn changed(
    state: &Arc<State>,
    user: &User,
    action: &'static str,
    details: serde_json::Value,
    make: impl FnOnce(&State) -> Result<Option<NewInvitation>, AccountError> + Send + 'static,
) -> Result<UserChanged, ApiError> {
    let made = change::recorded(state, user, action, details, make).await?;
    Ok(UserChanged { invitation: made.map(Into::into) })
}
