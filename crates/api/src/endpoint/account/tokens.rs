//! `/tokens`: the API tokens of users.
//!
//! In: what a token may do, with the password. Out: its text, once; lists without texts. Holds nothing: tokens are in the file of
//! users. Limits: those of [`accounts`]. No token can make, list or revoke tokens.

use super::{
    change,
    owner::{OwnerParameters, administers},
};
use crate::{
    access::sessions::User,
    error::ApiError,
    json::tokens::{NewTokenAnswer, TokenAnswer, TokenList, TokenRequest},
    request::{
        client::client,
        connection::Caller,
        extract::{Body, Parameters, PathParts},
        guard,
    },
    state::{State, now_s},
};
use accounts::{AccountError, EVERY_LOGSPACE, NewToken, Right};
use axum::{
    Json,
    extract::{ConnectInfo, State as Shared},
    http::{HeaderMap, StatusCode},
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Lists tokens, without their texts.
#[utoipa::path(get, path = "/api/v1/tokens", params(OwnerParameters), responses(
    (status = 200, body = TokenList), (status = 403, body = crate::error::ErrorAnswer)))]
pub(crate) async fn list(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<OwnerParameters>,
) -> Result<Json<TokenList>, ApiError> {
    let owner = parameters.user.as_deref().unwrap_or(&user.name);
    administers(&state, &user, owner)?;
    let tokens = state.accounts().tokens(owner).map_err(change::answer)?;
    let lifetime = state.backend().policy().token_lifetime;
    let shown = |token: accounts::ApiToken| {
        let used = state.last_use(&token.id);
        TokenAnswer::of(token, used, lifetime)
    };
    Ok(Json(TokenList { tokens: tokens.into_iter().map(shown).collect() }))
}

/// Makes a token of the caller. Its text is in the answer and nowhere else.
#[utoipa::path(post, path = "/api/v1/tokens", request_body = TokenRequest, responses(
    (status = 201, body = NewTokenAnswer), (status = 400, body = crate::error::ErrorAnswer),
    (status = 401, body = crate::error::ErrorAnswer), (status = 409, body = crate::error::ErrorAnswer),
    (status = 429, body = crate::error::ErrorAnswer)))]
pub(crate) async fn create(
    Shared(state): Shared<Arc<State>>,
    user: User,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Body(request): Body<TokenRequest>,
) -> Result<(StatusCode, Json<NewTokenAnswer>), ApiError> {
    let policy = state.backend().policy();
    let client = client(&policy, caller.address.ip(), &headers);
    // An open session that somebody else finds must not become an access that outlasts it.
    guard::confirm(&state, &user.name, &request.password, client).await?;
    let TokenRequest { name, scopes, logspaces, networks, days, .. } = request;
    let new = NewToken { name, scopes, logspaces, networks, days };
    let issued = new.issue(now_s()).map_err(|error| change::answer(AccountError::Token(error)))?;
    let (token, text) = (issued.token, issued.text);
    let details = token.described(&user.name);
    change::recorded(&state, &user, "add-token", details, {
        let (owner, token) = (user.name.clone(), token.clone());
        move |state| state.accounts().add_token(&owner, token)
    })
    .await?;
    let record = TokenAnswer::of(token, None, policy.token_lifetime);
    Ok((StatusCode::CREATED, Json(NewTokenAnswer { token: text.reveal().to_owned(), record })))
}

/// Revokes a token: one of the caller, or of others for users who may administer every logspace.
#[utoipa::path(delete, path = "/api/v1/tokens/{id}", responses(
    (status = 200), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn revoke(
    Shared(state): Shared<Arc<State>>,
    user: User,
    PathParts(id): PathParts<String>,
) -> Result<Json<Value>, ApiError> {
    let missing = || ApiError::not_found("there is no such token");
    let owner = state.accounts().token_owner(&id).map_err(change::answer)?.ok_or_else(missing)?;
    // Others do not learn that there is such a token.
    if owner != user.name && !state.may(&user, EVERY_LOGSPACE, Right::Administer)? {
        return Err(missing());
    }
    let details = json!({"user": owner, "token_id": id});
    let revoke = move |state: &State| state.accounts().revoke_token(&owner, &id);
    change::recorded(&state, &user, "revoke-token", details, revoke).await?;
    Ok(Json(json!({})))
}
