//! All objects as files: an export, and an import with a plan before it. For those who administer every logspace.
//!
//! In: texts of files. Out: the effect of each, or the problems of all; files. Holds nothing. Limits: bodies of
//! [`FILES_BODY_BYTES_MAX`], one import or export at a time: each has all files in memory.

use super::work::{self, ObjectError};
use crate::{
    access::sessions::User,
    error::{ApiError, ErrorAnswer},
    json::objects::files::{FileItem, FileProblem, FilesDocument, FilesRefused, PlanAnswer},
    request::extract::Body,
    state::State,
};
use axum::{
    Json,
    extract::{FromRequest, Request as HttpRequest, State as Shared},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use objects::{ObjectFile, PlanError, Request, Step, Store};
use serde_json::json;
use std::sync::Arc;

/// Largest body of an import: the files at their limit, with the escapes of JSON.
pub(crate) const FILES_BODY_BYTES_MAX: usize = 2 * objects::limits::FILES_BYTES_MAX;

/// An error of a call about files: it may name each problem with its place.
pub(crate) enum FilesError {
    Object(ObjectError),
    Files(Box<FilesRefused>),
}

impl From<ObjectError> for FilesError {
    fn from(error: ObjectError) -> FilesError {
        FilesError::Object(error)
    }
}

impl From<ApiError> for FilesError {
    fn from(error: ApiError) -> FilesError {
        FilesError::Object(error.into())
    }
}

impl IntoResponse for FilesError {
    fn into_response(self) -> Response {
        match self {
            FilesError::Object(error) => error.into_response(),
            FilesError::Files(answer) => (StatusCode::BAD_REQUEST, Json(answer)).into_response(),
        }
    }
}

impl From<PlanError> for FilesError {
    fn from(error: PlanError) -> FilesError {
        let problems = match error {
            PlanError::Database(error) => return FilesError::Object(work::answer(error)),
            PlanError::Files(problems) => problems.iter().map(FileProblem::from).collect(),
            PlanError::Store { path, source } => match work::conflict(&source) {
                true => vec![FileProblem::of_file(&path, source.to_string())],
                false => return FilesError::Object(work::answer(source)),
            },
        };
        let text = "files cannot be taken over; nothing was changed";
        let (_, error) = ApiError::bad_request(text).into_parts();
        FilesError::Files(Box::new(FilesRefused { error, problems }))
    }
}

/// Says what an import of files would do.
#[utoipa::path(post, path = "/api/v1/object-files/plan", request_body = FilesDocument, responses(
    (status = 200, body = PlanAnswer), (status = 400, body = FilesRefused), (status = 403, body = ErrorAnswer),
    (status = 503, body = ErrorAnswer)))]
pub(crate) async fn plan(
    Shared(state): Shared<Arc<State>>,
    user: User,
    request: HttpRequest,
) -> Result<Json<PlanAnswer>, FilesError> {
    import(state, user, request, objects::plan).await
}

/// Imports files: all of them or none.
#[utoipa::path(post, path = "/api/v1/object-files/apply", request_body = FilesDocument, responses(
    (status = 200, body = PlanAnswer), (status = 400, body = FilesRefused), (status = 403, body = ErrorAnswer),
    (status = 503, body = ErrorAnswer)))]
pub(crate) async fn apply(
    Shared(state): Shared<Arc<State>>,
    user: User,
    request: HttpRequest,
) -> Result<Json<PlanAnswer>, FilesError> {
    import(state, user, request, objects::apply).await
}

type Import = fn(&Store, &Request<'_>, &[ObjectFile]) -> Result<Vec<Step>, PlanError>;

async fn import(
    state: Arc<State>,
    user: User,
    request: HttpRequest,
    import: Import,
) -> Result<Json<PlanAnswer>, FilesError> {
    work::administrator(&state, &user)?;
    let _turn = state.object_files()?;
    // The body is read only now: nobody else may fill the memory with files.
    let Body(document) = Body::<FilesDocument>::from_request(request, &state).await?;
    let files: Vec<ObjectFile> = document.files.into_iter().map(Into::into).collect();
    let done = work::import(&state, &user, move |store, request| import(store, request, &files)).await?;
    Ok(Json(PlanAnswer { steps: done?.into_iter().map(Into::into).collect() }))
}

/// Returns all objects of the database as files.
#[utoipa::path(get, path = "/api/v1/object-files", responses((status = 200, body = FilesDocument),
    (status = 403, body = ErrorAnswer), (status = 413, body = ErrorAnswer), (status = 503, body = ErrorAnswer)))]
pub(crate) async fn export(
    Shared(state): Shared<Arc<State>>,
    user: User,
) -> Result<Json<FilesDocument>, ObjectError> {
    work::administrator(&state, &user)?;
    let _turn = state.object_files()?;
    work::note_view(&state, &user, "export-objects", json!({"of": "all"})).await?;
    let files = work::read(&state, &user, |store, _| objects::export(store)).await?;
    Ok(Json(FilesDocument { files: files.into_iter().map(FileItem::from).collect() }))
}
