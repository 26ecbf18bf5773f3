//! One file an endpoint: its request, its query, its answer.
//!
//! In: requests that the guard let in. Out: JSON. Holds nothing.

mod account;
pub(crate) mod alerts;
pub(crate) mod export;
pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod logspaces;
pub(crate) mod message;
pub(crate) mod objects;
pub(crate) mod openapi;
pub(crate) mod package;
mod queries;
pub(crate) mod tail;

pub(crate) use account::{factor, invitation, password, roles, session, sessions, tokens, users};
pub(crate) use queries::{columns, dashboards, explain, facets, search, validate};

use crate::{
    assets,
    error::{ApiError, ErrorCode},
    request::guard::API,
};
use axum::{
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};

/// Answers paths that the API does not have.
pub(crate) async fn unknown(uri: Uri) -> ApiError {
    ApiError::not_found(format!("there is no call {}; see openapi.json", uri.path()))
}

/// Answers calls with a method that the path does not have.
pub(crate) async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    let text = format!("{} is not called with {method}; see openapi.json", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, ErrorCode::BadRequest, text)
}

/// Answers everything that is not the API with a file of the page, or not at all.
pub(crate) async fn page(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if uri.path().starts_with(API) {
        return unknown(uri).await.into_response();
    }
    assets::serve(&method, uri.path(), &headers)
}
