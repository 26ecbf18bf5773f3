//! Errors of the API in their one format.
//!
//! In: a status and an error. Out: a response. The client sees no inner text of the server's files or code.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use std::time::Duration;
use utoipa::ToSchema;

/// The body of every error answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErrorAnswer {
    /// The error.
    pub(crate) error: ErrorDetail,
}

/// An error: what, where, and what to do.
#[derive(Serialize, ToSchema, Clone, Debug)]
pub struct ErrorDetail {
    /// One of the codes of the manual.
    pub code: &'static str,
    /// Description of the error.
    pub message: String,
    /// Start of the wrong part of the query, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// Length of the wrong part, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
    /// Suggested remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// An error on its way to the client.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    detail: ErrorDetail,
    retry_after: Option<Duration>,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        let detail =
            ErrorDetail { code, message: message.into(), position: None, length: None, suggestion: None };
        ApiError { status, detail, retry_after: None }
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    pub(crate) fn unauthorized() -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", "log in first")
    }

    pub(crate) fn too_many_attempts(wait: Duration) -> ApiError {
        let text = format!("too many failed attempts; try again in {} s", wait.as_secs() + 1);
        let mut error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too_many_attempts", text);
        error.retry_after = Some(wait);
        error
    }

    pub(crate) fn starting(wait: Duration) -> ApiError {
        let text = "messages are still being read back from the journal after a start, and an export would lack them: try again later";
        let mut error = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "starting", text);
        error.retry_after = Some(wait);
        error
    }

    /// An error for a resource that is used up for now.
    pub(crate) fn busy(message: impl Into<String>, wait: Duration) -> ApiError {
        let mut error = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message);
        error.retry_after = Some(wait);
        error
    }

    pub(crate) fn detailed(status: StatusCode, detail: ErrorDetail) -> ApiError {
        ApiError { status, detail, retry_after: None }
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.detail.message)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ErrorAnswer { error: self.detail })).into_response();
        if let Some(wait) = self.retry_after
            && let Ok(value) = HeaderValue::from_str(&(wait.as_secs() + 1).to_string())
        {
            response.headers_mut().insert(header::RETRY_AFTER, value);
        }
        response
    }
}
