//! Bodies and parameters of requests; what cannot be read becomes an error of the API's shape.
//!
//! In: a request. Out: a typed value. Limits: see `BODY_BYTES_MAX`.

use crate::error::ApiError;
use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Query, Request},
    http::request::Parts,
};
use serde::de::DeserializeOwned;

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Body<T>, ApiError> {
        let read = Json::<T>::from_request(request, state).await;
        read.map(|Json(body)| Body(body)).map_err(|error| ApiError::bad_request(error.body_text()))
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
