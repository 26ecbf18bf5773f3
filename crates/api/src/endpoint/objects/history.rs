//! The versions of an object, and their return.

use super::{
    condition::{etag, id, target},
    rule,
    work::{self, ObjectError},
};
use crate::{
    access::sessions::User,
    json::objects::{ChangedAnswer, ObjectAnswer, RestoreRequest, VersionAnswer},
    request::extract::{Body, PathParts},
    state::State,
};
use axum::{Json, extract::State as Shared, http::HeaderMap, response::IntoResponse};
use std::sync::Arc;

/// Lists the versions of an object, the newest first.
#[utoipa::path(get, path = "/api/v1/objects/{id}/versions", params(("id" = String, Path)), responses(
    (status = 200, body = Vec<VersionAnswer>), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn versions(
    Shared(state): Shared<Arc<State>>,
    user: User,
    PathParts(path): PathParts<String>,
) -> Result<Json<Vec<VersionAnswer>>, ObjectError> {
    let id = id(&path)?;
    let versions = work::read(&state, &user, move |store, caller| store.versions(caller, &id)).await?;
    Ok(Json(versions.into_iter().map(Into::into).collect()))
}

/// Returns an object as it was at a revision.
#[utoipa::path(get, path = "/api/v1/objects/{id}/versions/{revision}",
    params(("id" = String, Path), ("revision" = u64, Path)), responses(
    (status = 200, body = ObjectAnswer), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn version(
    Shared(state): Shared<Arc<State>>,
    user: User,
    PathParts((path, revision)): PathParts<(String, String)>,
) -> Result<Json<ObjectAnswer>, ObjectError> {
    let id = id(&path)?;
    // A revision that is no number was never made.
    let revision = revision.parse().unwrap_or(u64::MAX);
    let read = move |store: &objects::Store, caller: &objects::Caller| store.version(caller, &id, revision);
    Ok(Json(work::read(&state, &user, read).await?.into()))
}

/// Brings a deleted object back, or an earlier version of one; the versions in between stay.
#[utoipa::path(post, path = "/api/v1/objects/{id}/restore", request_body = RestoreRequest,
    params(("id" = String, Path), ("If-Match" = String, Header)), responses(
    (status = 200, body = ObjectAnswer), (status = 403, body = crate::error::ErrorAnswer),
    (status = 404, body = crate::error::ErrorAnswer), (status = 409, body = crate::error::ErrorAnswer),
    (status = 412, body = ChangedAnswer), (status = 428, body = crate::error::ErrorAnswer)))]
pub(crate) async fn restore(
    Shared(state): Shared<Arc<State>>,
    user: User,
    PathParts(path): PathParts<String>,
    headers: HeaderMap,
    Body(wanted): Body<RestoreRequest>,
) -> Result<impl IntoResponse, ObjectError> {
    let target = target(&path, &headers)?;
    let id = target.id.clone();
    let restored = work::read(&state, &user, move |store, caller| match wanted.revision {
        Some(revision) => store.version(caller, &id, revision),
        None => store.object(caller, &id),
    });
    rule::may_write(&state, &user, &restored.await?.content)?;
    let work = move |store: &objects::Store, request: &objects::Request<'_>| {
        store.restore(request, &target, wanted.revision)
    };
    let object = work::change(&state, &user, work).await?;
    Ok((etag(&object), Json(ObjectAnswer::from(object))))
}
