//! `/validate`: checks a query while it is typed.
//!
//! In: a query. Out: hints, or the error with its position.

use crate::{
    access::sessions::User,
    json::{
        rows,
        types::{Operator, ValidateAnswer},
    },
    request::extract::Parameters,
    search::searching,
};
use axum::Json;
use serde::Deserialize;
use utoipa::IntoParams;

/// The query to validate.
#[derive(Deserialize, IntoParams)]
pub(crate) struct ValidateParameters {
    /// The query.
    #[serde(default)]
    query: String,
    /// Default operator between words.
    #[serde(default)]
    default_operator: Operator,
}

/// Reads a query without running it.
#[utoipa::path(get, path = "/api/v1/validate", params(ValidateParameters), responses((status = 200, body = ValidateAnswer)))]
pub(crate) async fn validate(
    _user: User,
    Parameters(parameters): Parameters<ValidateParameters>,
) -> Json<ValidateAnswer> {
    let options = searching::options(parameters.default_operator);
    Json(match ::query::Query::parse(&parameters.query, &options) {
        Ok(query) => ValidateAnswer {
            valid: true,
            hints: query.hints().iter().map(|hint| hint.message.clone()).collect(),
            error: None,
        },
        Err(error) => {
            ValidateAnswer { valid: false, hints: Vec::new(), error: Some(rows::query_detail(&error)) }
        }
    })
}
