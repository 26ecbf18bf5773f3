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

/// The codes of errors, as the manual lists them.
#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The caller has to log in.
    Unauthorized,
    /// The password is right, and the code of the second factor is asked for as well.
    CodeNeeded,
    /// The code of the second factor is not accepted.
    WrongCode,
    /// The password that a call asks for once more is wrong.
    WrongPassword,
    /// The user lacks a right, or the call a header.
    Forbidden,
    /// Too many log-ins failed.
    TooManyAttempts,
    /// There is no such call, logspace or message.
    NotFound,
    /// The request cannot be carried out as it is.
    BadRequest,
    /// The query cannot be read.
    QuerySyntax,
    /// The time ran out.
    Timeout,
    /// The answer, or the number of live tails, would be too large.
    TooLarge,
    /// Messages are still being read back after a start.
    Starting,
    /// The search needs more memory than it may use.
    OverBudget,
    /// Memory or slots are in use; the call may be repeated later.
    Busy,
    /// The change does not fit the present state: the name is taken, or the object deleted.
    Conflict,
    /// Somebody else has changed the object since it was read.
    Changed,
    /// The change needs the header `If-Match`.
    ConditionNeeded,
    /// No space is left.
    NoSpace,
    /// The database of saved objects cannot be used.
    ObjectsUnavailable,
    /// The server failed.
    Internal,
}

/// An error: what, where, and what to do.
#[derive(Serialize, ToSchema, Clone, Debug)]
pub struct ErrorDetail {
    /// The kind of the error.
    pub code: ErrorCode,
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

/// An error for the client.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    detail: ErrorDetail,
    retry_after: Option<Duration>,
}

impl ApiError {
    pub(crate) fn new(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> ApiError {
        let detail =
            ErrorDetail { code, message: message.into(), position: None, length: None, suggestion: None };
        ApiError { status, detail, retry_after: None }
    }

    /// The parts of the answer, for calls that add more to it.
    pub(crate) fn into_parts(self) -> (StatusCode, ErrorDetail) {
        (self.status, self.detail)
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::BadRequest, message)
    }

    pub(crate) fn not_found(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::FORBIDDEN, ErrorCode::Forbidden, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, message)
    }

    pub(crate) fn unauthorized() -> ApiError {
        ApiError::new(StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized, "log in first")
    }

    /// An error for a right password of a user who has a second factor.
    pub(crate) fn code_needed() -> ApiError {
        let text = "this user has a second factor: a log-in needs its code after the password";
        let mut error = ApiError::new(StatusCode::UNAUTHORIZED, ErrorCode::CodeNeeded, text);
        error.detail.suggestion = Some("programs use an API token instead of the password".to_owned());
        error
    }

    pub(crate) fn too_many_attempts(wait: Duration) -> ApiError {
        let text = format!("too many failed attempts; try again in {} s", wait.as_secs() + 1);
        let mut error = ApiError::new(StatusCode::TOO_MANY_REQUESTS, ErrorCode::TooManyAttempts, text);
        error.retry_after = Some(wait);
        error
    }

    pub(crate) fn starting(wait: Duration) -> ApiError {
        let text = "messages are still being read back from the journal after a start, and an export would lack them: try again later";
        let mut error = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Starting, text);
        error.retry_after = Some(wait);
        error
    }

    /// An error for a resource that is used up for now.
    pub(crate) fn busy(message: impl Into<String>, wait: Duration) -> ApiError {
        let mut error = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Busy, message);
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

#[cfg(test)]
mod tests;
