//! `/factor`: the second factor of the caller.
//!
//! In: the password, once more, and codes. Out: a secret with its picture, recovery codes, facts. Holds nothing: a secret waits in
//! memory until its first code. Limits: wrong passwords and wrong codes cost time, each by counters of their own.

use super::{change, sessions};
use crate::{
    access::sessions::{Proof, User},
    error::ApiError,
    json::factor::{ConfirmRequest, EnrolRequest, EnrolmentAnswer, FactorAnswer, Picture, RecoveryAnswer},
    request::{client::client, connection::Caller, extract::Body, guard},
    state::{State, now_s},
};
use accounts::{AccountError, Secret};
use axum::{
    Json,
    extract::{ConnectInfo, State as Shared},
    http::HeaderMap,
};
use serde_json::json;
use std::{net::IpAddr, sync::Arc, time::Instant};

/// Says whether the caller has a second factor.
#[utoipa::path(get, path = "/api/v1/factor", responses((status = 200, body = FactorAnswer)))]
pub(crate) async fn show(
    Shared(state): Shared<Arc<State>>,
    user: User,
) -> Result<Json<FactorAnswer>, ApiError> {
    let facts = state.accounts().factor(&user.name).map_err(change::answer)?;
    Ok(Json(FactorAnswer::of(facts)))
}

/// Draws a secret, which is not in force before an app has shown a code for it.
#[utoipa::path(post, path = "/api/v1/factor", request_body = ConfirmRequest, responses(
    (status = 200, body = EnrolmentAnswer), (status = 401, body = crate::error::ErrorAnswer),
    (status = 409, body = crate::error::ErrorAnswer)))]
pub(crate) async fn begin(
    Shared(state): Shared<Arc<State>>,
    user: User,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Body(request): Body<ConfirmRequest>,
) -> Result<Json<EnrolmentAnswer>, ApiError> {
    confirm(&state, &user, (&caller, &headers), &request.password).await?;
    if state.accounts().factor(&user.name).map_err(change::answer)?.is_some() {
        return Err(change::answer(AccountError::FactorPresent));
    }
    // Without it the code could not be checked later.
    state.factor_key()?;
    let secret = Secret::draw().map_err(|_| ApiError::internal("the system gives no random numbers"))?;
    let address = secret.address(&user.name, state.host());
    let picture = Picture::of(&address);
    let picture = picture.ok_or_else(|| ApiError::internal("the names are too long for a picture"))?;
    let answer = EnrolmentAnswer { secret: secret.text(), address, picture };
    state.second_factors().begin_enrolment(&user.name, secret, Instant::now());
    Ok(Json(answer))
}

/// Enrols the second factor, and ends the other sessions, which were opened without it.
#[utoipa::path(post, path = "/api/v1/factor/enrol", request_body = EnrolRequest, responses(
    (status = 200, body = RecoveryAnswer), (status = 400, body = crate::error::ErrorAnswer),
    (status = 409, body = crate::error::ErrorAnswer)))]
pub(crate) async fn enrol(
    Shared(state): Shared<Arc<State>>,
    user: User,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Body(request): Body<EnrolRequest>,
) -> Result<Json<RecoveryAnswer>, ApiError> {
    let address = address(&state, (&caller, &headers));
    let secret = state.second_factors().enrolment(&user.name, Instant::now());
    let late = "there is no secret that waits for its code: begin again";
    let secret = secret.ok_or_else(|| ApiError::bad_request(late))?;
    let attempt = guard::begin_code(&state, &user.name, address)?;
    let key = state.factor_key()?;
    let name = user.name.clone();
    let details = json!({"user": user.name, "address": address});
    let recovery_codes = change::recorded(&state, &user, "enrol-factor", details, move |state| {
        state.accounts().enrol_factor(&name, &key, (&secret, &request.code), now_s())
    })
    .await?;
    state.credentials().code_accepted(&attempt);
    state.second_factors().end_enrolment(&user.name);
    let present = match &user.proof {
        Proof::Session(hash, _) => Some(*hash),
        Proof::Password(_) | Proof::Token(_) => None,
    };
    let ended = state.sessions().end(&user.name, |hash| present.as_ref() != Some(hash));
    let _ended = sessions::saved(&state, ended).await?;
    Ok(Json(RecoveryAnswer { recovery_codes }))
}

/// Replaces the recovery codes.
#[utoipa::path(post, path = "/api/v1/factor/recovery", request_body = ConfirmRequest, responses(
    (status = 200, body = RecoveryAnswer), (status = 401, body = crate::error::ErrorAnswer),
    (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn renew(
    Shared(state): Shared<Arc<State>>,
    user: User,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Body(request): Body<ConfirmRequest>,
) -> Result<Json<RecoveryAnswer>, ApiError> {
    let address = confirm(&state, &user, (&caller, &headers), &request.password).await?;
    let (key, name) = (state.factor_key()?, user.name.clone());
    let details = json!({"user": user.name, "address": address});
    let renew = move |state: &State| state.accounts().renew_recovery_codes(&name, &key);
    let recovery_codes = change::recorded(&state, &user, "renew-recovery-codes", details, renew).await?;
    Ok(Json(RecoveryAnswer { recovery_codes }))
}

/// Turns the second factor off. The password must be long enough to be the only factor.
#[utoipa::path(post, path = "/api/v1/factor/remove", request_body = ConfirmRequest, responses(
    (status = 200, body = FactorAnswer), (status = 400, body = crate::error::ErrorAnswer),
    (status = 401, body = crate::error::ErrorAnswer), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn remove(
    Shared(state): Shared<Arc<State>>,
    user: User,
    ConnectInfo(caller): ConnectInfo<Caller>,
    headers: HeaderMap,
    Body(request): Body<ConfirmRequest>,
) -> Result<Json<FactorAnswer>, ApiError> {
    let address = confirm(&state, &user, (&caller, &headers), &request.password).await?;
    let name = user.name.clone();
    let details = json!({"user": user.name, "address": address});
    let remove = move |state: &State| state.accounts().give_up_factor(&name, &request.password);
    change::recorded(&state, &user, "remove-factor", details, remove).await?;
    Ok(Json(FactorAnswer::of(None)))
}

/// Checks the password of the caller once more; returns the address of the client.
async fn confirm(
    state: &Arc<State>,
    user: &User,
    from: (&Caller, &HeaderMap),
    password: &str,
) -> Result<IpAddr, ApiError> {
    let address = address(state, from);
    guard::confirm(state, &user.name, password, address).await?;
    Ok(address)
}

fn address(state: &State, (caller, headers): (&Caller, &HeaderMap)) -> IpAddr {
    client(&state.backend().policy(), caller.address.ip(), headers)
}
