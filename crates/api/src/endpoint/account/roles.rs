//! `/roles`, and `/users/{name}/access`: what users may do, of their own and by roles.
//!
//! In: grants and roles, with the password of the caller. Out: nothing. Holds nothing. Limits: those of [`accounts`]; the last
//! administrator stays one; a change counts from the next call of the user on.

use super::{change, owner::Administrator};
use crate::{
    error::ApiError,
    json::{
        factor::ConfirmRequest,
        users::{AccessRequest, RoleRequest},
    },
    request::extract::{Body, PathParts},
    state::State,
};
use accounts::Grant;
use axum::{Json, extract::State as Shared};
use serde_json::{Value, json};
use std::sync::Arc;

/// Gives a user these grants and roles and no others.
#[utoipa::path(put, path = "/api/v1/users/{name}/access", request_body = AccessRequest,
    params(("name" = String, Path)), responses(
    (status = 200), (status = 400, body = crate::error::ErrorAnswer),
    (status = 401, body = crate::error::ErrorAnswer), (status = 403, body = crate::error::ErrorAnswer),
    (status = 404, body = crate::error::ErrorAnswer), (status = 409, body = crate::error::ErrorAnswer)))]
pub(crate) async fn set_access(
    Shared(state): Shared<Arc<State>>,
    caller: Administrator,
    PathParts(name): PathParts<String>,
    Body(request): Body<AccessRequest>,
) -> Result<Json<Value>, ApiError> {
    caller.confirm(&state, &request.password).await?;
    let AccessRequest { grants, roles, .. } = request;
    let details =
        json!({"user": name, "rights": shown(&grants), "role": roles.join(" "), "address": caller.address});
    let set = move |state: &State| state.accounts().set_access(&name, &grants, &roles);
    change::recorded(&state, &caller.user, "set-access", details, set).await?;
    Ok(Json(json!({})))
}

/// Gives a role these grants and no others; makes it if there is none of that name.
#[utoipa::path(put, path = "/api/v1/roles/{name}", request_body = RoleRequest, params(("name" = String, Path)),
    responses((status = 200), (status = 400, body = crate::error::ErrorAnswer),
    (status = 401, body = crate::error::ErrorAnswer), (status = 403, body = crate::error::ErrorAnswer),
    (status = 409, body = crate::error::ErrorAnswer)))]
pub(crate) async fn set(
    Shared(state): Shared<Arc<State>>,
    caller: Administrator,
    PathParts(name): PathParts<String>,
    Body(request): Body<RoleRequest>,
) -> Result<Json<Value>, ApiError> {
    caller.confirm(&state, &request.password).await?;
    let details = json!({"role": name, "rights": shown(&request.grants), "address": caller.address});
    let set = move |state: &State| state.accounts().set_role(&name, &request.grants);
    change::recorded(&state, &caller.user, "set-role", details, set).await?;
    Ok(Json(json!({})))
}

/// Removes a role: its users lose its rights at once.
#[utoipa::path(post, path = "/api/v1/roles/{name}/remove", request_body = ConfirmRequest,
    params(("name" = String, Path)), responses(
    (status = 200), (status = 401, body = crate::error::ErrorAnswer),
    (status = 403, body = crate::error::ErrorAnswer), (status = 404, body = crate::error::ErrorAnswer),
    (status = 409, body = crate::error::ErrorAnswer)))]
pub(crate) async fn remove(
    Shared(state): Shared<Arc<State>>,
    caller: Administrator,
    PathParts(name): PathParts<String>,
    Body(request): Body<ConfirmRequest>,
) -> Result<Json<Value>, ApiError> {
    caller.confirm(&state, &request.password).await?;
    let details = json!({"role": name, "address": caller.address});
    let remove = move |state: &State| state.accounts().remove_role(&name);
    change::recorded(&state, &caller.user, "remove-role", details, remove).await?;
    Ok(Json(json!({})))
}

/// The grants as the ledger has them: `firewall: search export`.
fn shown(grants: &[Grant]) -> Vec<String> {
    let line = |grant: &Grant| {
        let rights: Vec<&str> = grant.may.iter().map(|right| right.name()).collect();
        format!("{}: {}", grant.logspace, rights.join(" "))
    };
    grants.iter().map(line).collect()
}
