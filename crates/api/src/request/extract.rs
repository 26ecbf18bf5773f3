//! Bodies and parameters of requests; what cannot be read becomes an error of the API's shape.
//!
//! In: a request. Out: a typed value. Limits: `BODY_BYTES_MAX`, [`BODY_WITHIN`].

use crate::error::{ApiError, ErrorCode};
use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{StatusCode, request::Parts},
};
use serde::de::DeserializeOwned;
use std::time::Duration;
use tokio::time::timeout;

/// Longest time that the body of a call may take.
const BODY_WITHIN: Duration = Duration::from_secs(30);

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, ApiError> {
        let read = timeout(BODY_WITHIN, Json::<T>::from_request(request, state)).await;
        let late = |_| {
            ApiError::new(
                StatusCode::REQUEST_TIMEOUT,
                ErrorCode::Timeout,
                "the body of the call did not come",
            )
        };
        read.map_err(late)?.map(|Json(body)| Body(body)).map_err(|error| match error.status() {
            status @ StatusCode::PAYLOAD_TOO_LARGE => {
                ApiError::new(status, ErrorCode::TooLarge, "the body of the call is too large")
            }
            _ => ApiError::bad_request(error.body_text()),
        })
    }
}

/// The parts of the path that differ from call to call.
pub(crate) struct PathParts<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for PathParts<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<PathParts<T>, ApiError> {
        let read = Path::<T>::from_request_parts(parts, state).await;
        read.map(|Path(value)| PathParts(value)).map_err(|error| ApiError::bad_request(error.body_text()))
    }
}

/// The parameters of the path's query part.
pub(crate) struct Parameters<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Parameters<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Parameters<T>, ApiError> {
        let read = Query::<T>::from_request_parts(parts, state).await;
        read.map(|Query(value)| Parameters(value)).map_err(|error| ApiError::bad_request(error.body_text()))
    }
}
