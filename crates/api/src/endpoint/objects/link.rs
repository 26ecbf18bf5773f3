//! `/o/{id}`: the permalink of a saved object.
//!
//! In: an id. Out: a redirect to the page, which asks for the object with the rights of its user. Holds nothing: only the
//! page, after the login, says whether there is such an object. The address is relative, so that it works below any path prefix.

use super::condition;
use crate::error::ApiError;
use axum::{
    extract::Path,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};

/// Redirects to the page that opens the object.
pub(crate) async fn link(path: Result<Path<String>, axum::extract::rejection::PathRejection>) -> Response {
    let id = path.ok().and_then(|Path(path)| condition::id(&path).ok());
    let place = id.and_then(|id| HeaderValue::from_str(&format!("../?load={id}")).ok());
    match place {
        Some(place) => (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response(),
        None => ApiError::not_found("there is no such object").into_response(),
    }
}
