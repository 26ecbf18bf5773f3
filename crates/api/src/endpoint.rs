//! One file an endpoint: what it takes, what it asks of `query`, what it gives.
//!
//! In: requests that the guard let in. Out: JSON. Holds nothing.

pub(crate) mod columns;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod facets;
pub(crate) mod health;
pub(crate) mod keys;
pub(crate) mod logspaces;
pub(crate) mod message;
pub(crate) mod openapi;
pub(crate) mod package;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod tail;
pub(crate) mod validate;

use crate::error::ApiError;
use axum::http::Uri;

/// Answers paths that the API does not have.
pub(crate) async fn unknown(uri: Uri) -> ApiError {
    ApiError::not_found(format!("there is no call {}; see openapi.json", uri.path()))
}
