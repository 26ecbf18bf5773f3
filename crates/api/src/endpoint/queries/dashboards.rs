//! `/dashboards`: the answers of all panels of a dashboard, of one snapshot of each logspace.
//!
//! In: a dashboard, times, values of parameters. Out: for each panel an answer as that of `/search`, or an error of its own.
//! Holds nothing. Limits: those of a run.

mod panel;
mod request;
mod run;

use crate::{
    access::sessions::User,
    endpoint::objects::{ObjectError, visible_object},
    error::ApiError,
    request::extract::{Body, PathParts},
    state::State,
};
use accounts::TokenScope;
use axum::{extract::State as Shared, response::Response};
use objects::Content;
use request::{DraftRequest, RunAnswer, RunRequest};
use run::Run;
use serde_json::json;
use std::sync::Arc;

/// Answers the panels of a dashboard.
#[utoipa::path(post, path = "/api/v1/dashboards/{id}/run", params(("id" = String, Path)), request_body = RunRequest,
    responses((status = 200, body = RunAnswer), (status = 400, body = crate::error::ErrorAnswer),
    (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn run(
    Shared(state): Shared<Arc<State>>,
    user: User,
    PathParts(path): PathParts<String>,
    Body(request): Body<RunRequest>,
) -> Result<Response, ObjectError> {
    if user.token().is_some_and(|token| !token.has(TokenScope::ReadObjects)) {
        let text = format!("the API token lacks the scope {}", TokenScope::ReadObjects);
        return Err(ApiError::forbidden(text).into());
    }
    let object = visible_object(&state, &user, &path).await?;
    let Some(dashboard) = object.content.dashboard() else {
        return Err(ApiError::bad_request(format!("{path} is a {}", object.summary.kind)).into());
    };
    let about = json!({"dashboard": object.summary.id.as_str(), "revision": object.summary.revision});
    Ok(Run::new(state, user, dashboard, request)?.answer(&object.summary.name, about).await?)
}

/// Answers the panels of a dashboard that is being edited.
#[utoipa::path(post, path = "/api/v1/dashboards/run", request_body = DraftRequest, responses(
    (status = 200, body = RunAnswer), (status = 400, body = crate::error::ErrorAnswer)))]
pub(crate) async fn run_draft(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Body(DraftRequest { spec, run }): Body<DraftRequest>,
) -> Result<Response, ApiError> {
    let kind = "dashboard".parse();
    let kind = kind.map_err(|error: objects::UnknownKind| ApiError::bad_request(error.to_string()))?;
    let content = Content::new(kind, ("draft", ""), "", Vec::new(), spec);
    let content = content.map_err(|error| ApiError::bad_request(error.to_string()))?;
    let dashboard = content.dashboard().ok_or_else(|| ApiError::bad_request("this is no dashboard"))?;
    Run::new(state, user, dashboard, run)?.answer("", json!({})).await
}
