//! The people that an object is shared with.

use super::{
    condition::{etag, id, target},
    rule,
    work::{self, ObjectError},
};
use crate::{
    access::sessions::User,
    error::ApiError,
    json::objects::{AclDocument, AclItem, ChangedAnswer, ObjectAnswer},
    request::extract::{Body, PathParts},
    state::State,
};
use axum::{Json, extract::State as Shared, http::HeaderMap, response::IntoResponse};
use objects::{AclEntry, Level, Principal, UserId};
use std::sync::Arc;

/// Returns the people that an object is shared with, to those who own it.
#[utoipa::path(get, path = "/api/v1/objects/{id}/acl", params(("id" = String, Path)), responses(
    (status = 200, body = AclDocument), (status = 403, body = crate::error::ErrorAnswer),
    (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn people(
    Shared(state): Shared<Arc<State>>,
    user: User,
    PathParts(path): PathParts<String>,
) -> Result<impl IntoResponse, ObjectError> {
    let id = id(&path)?;
    let object = work::read(&state, &user, move |store, caller| store.object(caller, &id)).await?;
    if object.summary.level != Level::Own {
        let text = "the people of an object are shown to those who may own it";
        return Err(ApiError::forbidden(text).into());
    }
    let acl = object.acl.iter().map(AclItem::from).collect();
    let owner = Some(object.summary.owner.name().to_owned());
    Ok((etag(&object), Json(AclDocument { acl, owner })))
}

/// Returns the account that has a name now.
fn account(state: &State, name: &str) -> Result<UserId, ApiError> {
    let known = state.accounts().id(name).map_err(|error| ApiError::internal(error.to_string()))?;
    known.ok_or_else(|| ApiError::bad_request(format!("there is no user {name}")))
}

/// Shares an object with people, and gives it to another owner.
#[utoipa::path(put, path = "/api/v1/objects/{id}/acl", request_body = AclDocument,
    params(("id" = String, Path), ("If-Match" = String, Header)), responses(
    (status = 200, body = ObjectAnswer), (status = 400, body = crate::error::ErrorAnswer),
    (status = 403, body = crate::error::ErrorAnswer), (status = 404, body = crate::error::ErrorAnswer),
    (status = 412, body = ChangedAnswer), (status = 428, body = crate::error::ErrorAnswer)))]
pub(crate) async fn share(
    Shared(state): Shared<Arc<State>>,
    user: User,
    PathParts(path): PathParts<String>,
    headers: HeaderMap,
    Body(wanted): Body<AclDocument>,
) -> Result<impl IntoResponse, ObjectError> {
    let target = target(&path, &headers)?;
    let mut acl = Vec::new();
    for AclItem { principal, level } in wanted.acl {
        let principal: Principal = principal
            .parse()
            .map_err(|error: objects::PrincipalError| ApiError::bad_request(error.to_string()))?;
        acl.push(AclEntry { principal, level });
    }
    let id = target.id.clone();
    let present = work::read(&state, &user, move |store, caller| store.object(caller, &id)).await?;
    // A name with a mistake would share the object with nobody, and look as if it did. Those who may not share learn nothing:
    // the store refuses them.
    let may_share = present.summary.level == Level::Own;
    let owner = match wanted.owner {
        Some(name) if may_share => {
            let owner = account(&state, &name)?;
            if owner != present.summary.owner {
                rule::may_own(&state, &name, &present.content)?;
            }
            Some(owner)
        }
        _ => None,
    };
    for entry in acl.iter_mut().filter(|_| may_share) {
        if let Principal::User(id) = &entry.principal {
            entry.principal = Principal::User(account(&state, id.name())?);
        }
    }
    let work = move |store: &objects::Store, request: &objects::Request<'_>| {
        store.share(request, &target, acl, owner)
    };
    let object = work::change(&state, &user, work).await?;
    Ok((etag(&object), Json(ObjectAnswer::from(object))))
}
