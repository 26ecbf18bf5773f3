//! One object: read, changed, deleted.

use super::{
    condition::{etag, id, target},
    rule,
    work::{self, ObjectError},
};
use crate::{
    access::sessions::User,
    error::ApiError,
    json::objects::{ChangedAnswer, ObjectAnswer, ObjectRequest},
    request::extract::{Body, PathParts},
    state::State,
};
use axum::{Json, extract::State as Shared, http::HeaderMap, response::IntoResponse};
use objects::{Content, Kind, Object};
use serde_json::json;
use std::sync::Arc;

/// Checks the content of a request; returns it with the remark.
pub(super) fn checked(request: ObjectRequest) -> Result<(Content, String), ApiError> {
    let ObjectRequest { kind, name, folder, description, tags, spec, comment } = request;
    let kind: Kind =
        kind.parse().map_err(|error: objects::UnknownKind| ApiError::bad_request(error.to_string()))?;
    let content = Content::new(kind, (&name, &folder), &description, tags, spec);
    Ok((content.map_err(|error| ApiError::bad_request(error.to_string()))?, comment))
}

/// Reads an object that the caller may see. When only the right to administer lets the caller see it, that is in the ledger.
pub(crate) async fn visible_object(
    state: &Arc<State>,
    user: &User,
    path: &str,
) -> Result<Object, ObjectError> {
    let id = id(path)?;
    let object = work::read(state, user, move |store, caller| store.object(caller, &id)).await?;
    if !object.is_shared_with(&work::caller(state, user)?) {
        let (id, owner) = (object.summary.id.as_str(), object.summary.owner.name());
        work::note_view(state, user, "read-object", json!({"object": id, "owner": owner})).await?;
    }
    Ok(object)
}

/// Returns an object. When only the right to administer lets the caller see it, that is in the ledger.
#[utoipa::path(get, path = "/api/v1/objects/{id}", params(("id" = String, Path)), responses(
    (status = 200, body = ObjectAnswer), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn object(
    Shared(state): Shared<Arc<State>>,
    user: User,
    PathParts(path): PathParts<String>,
) -> Result<impl IntoResponse, ObjectError> {
    let object = visible_object(&state, &user, &path).await?;
    Ok((etag(&object), Json(ObjectAnswer::from(object))))
}

/// Gives an object another content.
#[utoipa::path(put, path = "/api/v1/objects/{id}", request_body = ObjectRequest,
    params(("id" = String, Path), ("If-Match" = String, Header)), responses(
    (status = 200, body = ObjectAnswer), (status = 403, body = crate::error::ErrorAnswer),
    (status = 404, body = crate::error::ErrorAnswer), (status = 409, body = crate::error::ErrorAnswer),
    (status = 412, body = ChangedAnswer), (status = 428, body = crate::error::ErrorAnswer)))]
pub(crate) async fn change(
    Shared(state): Shared<Arc<State>>,
    user: User,
    PathParts(path): PathParts<String>,
    headers: HeaderMap,
    Body(request): Body<ObjectRequest>,
) -> Result<impl IntoResponse, ObjectError> {
    let target = target(&path, &headers)?;
    let (content, comment) = checked(request)?;
    rule::may_write(&state, &user, &content)?;
    let work = move |store: &objects::Store, request: &objects::Request<'_>| {
        store.change(request, &target, content, &comment)
    };
    let object = work::change(&state, &user, work).await?;
    Ok((etag(&object), Json(ObjectAnswer::from(object))))
}

/// Deletes an object; it can be restored for a month.
#[utoipa::path(delete, path = "/api/v1/objects/{id}",
    params(("id" = String, Path), ("If-Match" = String, Header)), responses(
    (status = 200, body = ObjectAnswer), (status = 403, body = crate::error::ErrorAnswer),
    (status = 404, body = crate::error::ErrorAnswer), (status = 412, body = ChangedAnswer),
    (status = 428, body = crate::error::ErrorAnswer)))]
pub(crate) async fn delete(
    Shared(state): Shared<Arc<State>>,
    user: User,
    PathParts(path): PathParts<String>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ObjectError> {
    let target = target(&path, &headers)?;
    let object = work::change(&state, &user, move |store, request| store.delete(request, &target)).await?;
    Ok((etag(&object), Json(ObjectAnswer::from(object))))
}
