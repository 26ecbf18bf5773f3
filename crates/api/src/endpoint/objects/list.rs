//! Lists of objects, and new ones.

use super::{
    condition::etag,
    content::checked,
    rule,
    work::{self, ObjectError},
};
use crate::{
    access::{accounts::Right, sessions::User},
    error::ApiError,
    json::objects::{ObjectAnswer, ObjectList, ObjectRequest},
    request::extract::{Body, Parameters},
    state::State,
};
use axum::{
    Json,
    extract::State as Shared,
    http::{HeaderValue, StatusCode, header},
    response::IntoResponse,
};
use objects::{Filter, Ownership, Presence};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Objects of a list without a limit.
const LIST_DEFAULT: usize = 200;
/// Most objects of a list.
const LIST_MAX: usize = 500;

/// The objects to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListParameters {
    /// Only of this kind.
    kind: Option<String>,
    /// Only in this folder and those inside of it.
    #[serde(default)]
    folder: String,
    /// Words in the name, the folder, the description, the tags or the query.
    #[serde(default)]
    q: String,
    /// Only with this tag.
    #[serde(default)]
    tag: String,
    /// Whose: `visible` (the default: one's own, shared ones, files), `mine`, `all` (for administrators).
    #[serde(default)]
    of: Of,
    /// True for those that were deleted and can be restored.
    #[serde(default)]
    deleted: bool,
    /// Most objects, up to 500; 200 if left out.
    limit: Option<usize>,
}

/// The owners of listed objects.
#[derive(Deserialize, ToSchema, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
enum Of {
    #[default]
    Visible,
    Mine,
    All,
}

/// Lists objects.
#[utoipa::path(get, path = "/api/v1/objects", params(ListParameters), responses(
    (status = 200, body = ObjectList), (status = 403, body = crate::error::ErrorAnswer)))]
pub(crate) async fn list(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<ListParameters>,
) -> Result<Json<ObjectList>, ObjectError> {
    let limit = parameters.limit.unwrap_or(LIST_DEFAULT);
    if limit == 0 || limit > LIST_MAX {
        return Err(ApiError::bad_request(format!("limit: 1 to {LIST_MAX}")).into());
    }
    let kind = parameters.kind.as_deref().map(str::parse).transpose();
    let filter = Filter {
        kind: kind.map_err(|error: objects::UnknownKind| ApiError::bad_request(error.to_string()))?,
        folder: parameters.folder,
        text: parameters.q,
        tag: parameters.tag,
        ownership: match parameters.of {
            Of::Visible => Ownership::Visible,
            Of::Mine => Ownership::Mine,
            Of::All => Ownership::All,
        },
        presence: if parameters.deleted { Presence::Deleted } else { Presence::Present },
        // One more, to know whether there are more.
        limit: limit + 1,
    };
    if filter.ownership == Ownership::All && work::caller(&state, &user)?.is_administrator {
        work::note_view(&state, &user, "list-objects", json!({"of": "all"})).await?;
    }
    let mut found = work::read(&state, &user, move |store, caller| store.list(caller, &filter)).await?;
    let more = found.len() > limit;
    found.truncate(limit);
    Ok(Json(ObjectList { objects: found.into_iter().map(Into::into).collect(), more }))
}

/// Makes an object, which its maker owns and nobody else sees.
#[utoipa::path(post, path = "/api/v1/objects", request_body = ObjectRequest, responses(
    (status = 201, body = ObjectAnswer), (status = 400, body = crate::error::ErrorAnswer),
    (status = 403, body = crate::error::ErrorAnswer), (status = 409, body = crate::error::ErrorAnswer)))]
pub(crate) async fn create(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Body(request): Body<ObjectRequest>,
) -> Result<impl IntoResponse, ObjectError> {
    if state.scopes(&user)?.is_empty() {
        let text = format!("{} may not search any logspace, and has nothing to keep", user.name);
        return Err(state.refuse(&user, "", Right::Search, text).into());
    }
    let (content, comment) = checked(request)?;
    rule::may_write(&state, &user, &content)?;
    let work = move |store: &objects::Store, request: &objects::Request<'_>| {
        store.create(request, content, &comment)
    };
    let object = work::change(&state, &user, work).await?;
    let place = format!("/api/v1/objects/{}", object.summary.id);
    let place = HeaderValue::from_str(&place).map_err(|_| ApiError::internal("an id cannot be sent"))?;
    let tag = etag(&object);
    Ok((StatusCode::CREATED, [(header::LOCATION, place)], tag, Json(ObjectAnswer::from(object))))
}
