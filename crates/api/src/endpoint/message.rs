//! `/message` and `/context`: one message whole, and what came around it.
//!
//! In: a sequence number. Out: rows. Limits: [`CONTEXT_MAX`] rows on each side.

use crate::{
    error::ApiError,
    extract::Parameters,
    guard::User,
    rows, searching,
    state::State,
    types::{ContextAnswer, MessageAnswer},
};
use axum::{Json, extract::State as Shared};
use query::Same;
use serde::Deserialize;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use store::{Locked, Logspace, Watch};
use utoipa::{IntoParams, ToSchema};

/// Most rows before and after the anchor.
const CONTEXT_MAX: usize = 500;
/// Longest search for neighbours.
const TIMEOUT: Duration = Duration::from_secs(15);

/// Which message.
#[derive(Deserialize, IntoParams)]
pub(crate) struct MessageParameters {
    /// Name; may be left out when there is one.
    logspace: Option<String>,
    /// Its sequence number.
    sequence: u64,
}

/// Gives one message with its raw bytes and tokens.
#[utoipa::path(get, path = "/api/v1/message", params(MessageParameters), responses(
    (status = 200, body = MessageAnswer), (status = 404, body = crate::types::ErrorAnswer)))]
pub(crate) async fn message(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<MessageParameters>,
) -> Result<Json<MessageAnswer>, ApiError> {
    let logspace = state.logspace(parameters.logspace.as_deref())?;
    let sequence = parameters.sequence;
    let details = serde_json::json!({"sequence": sequence});
    state.note(&user, "message", parameters.logspace.as_deref(), "", details).await?;
    let space = Arc::clone(&logspace);
    let work = move || query::message(&space.snapshot(), sequence, &Watch::unlimited());
    let found = searching::blocking(&state, Arc::default(), work).await?;
    let found = found.map_err(|error| rows::search_error(&error, TIMEOUT))?;
    let found = found.ok_or_else(|| gone(&logspace, sequence))?;
    let document = found.document;
    let tokens = found.tokens.iter().filter_map(|range| document.text.get(range.clone()));
    Ok(Json(MessageAnswer {
        row: rows::row(&document, &[]),
        raw_base64: rows::base64(&document.raw),
        tokens: tokens.map(|token| rows::text(token).to_lowercase()).collect(),
    }))
}

/// Why there is no such message.
fn gone(logspace: &Logspace, sequence: u64) -> ApiError {
    let is_in = |locked: &Locked| (locked.first..locked.first + locked.count).contains(&sequence);
    if logspace.snapshot().locked.iter().any(is_in) {
        return ApiError::not_found(format!(
            "message {sequence} is locked: unlock the logspace with its private key"
        ));
    }
    ApiError::not_found(format!("there is no message {sequence}: it never was, or retention removed it"))
}

/// What the neighbours share with the anchor.
#[derive(Deserialize, ToSchema, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SameName {
    /// The same sender: source statement, peer and host.
    #[default]
    Source,
    /// The same host.
    Host,
    /// Nothing: everything that was received around it.
    None,
}

/// Around which message.
#[derive(Deserialize, IntoParams)]
pub(crate) struct ContextParameters {
    /// Name; may be left out when there is one.
    logspace: Option<String>,
    /// Sequence number of the anchor.
    sequence: u64,
    /// Rows before it, 5 when left out.
    before: Option<usize>,
    /// Rows after it, 5 when left out.
    after: Option<usize>,
    /// What they share with it.
    #[serde(default)]
    #[param(inline)]
    same: SameName,
}

/// Gives the messages around one.
#[utoipa::path(get, path = "/api/v1/context", params(ContextParameters), responses(
    (status = 200, body = ContextAnswer), (status = 404, body = crate::types::ErrorAnswer)))]
pub(crate) async fn context(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<ContextParameters>,
) -> Result<Json<ContextAnswer>, ApiError> {
    let logspace = state.logspace(parameters.logspace.as_deref())?;
    let same = match parameters.same {
        SameName::Source => Same::Source,
        SameName::Host => Same::Host,
        SameName::None => Same::None,
    };
    let (before, after) = (parameters.before.unwrap_or(5), parameters.after.unwrap_or(5));
    let (before, after, sequence) = (before.min(CONTEXT_MAX), after.min(CONTEXT_MAX), parameters.sequence);
    let details = serde_json::json!({"sequence": sequence, "before": before, "after": after});
    state.note(&user, "context", parameters.logspace.as_deref(), "", details).await?;
    let cancelled = Arc::default();
    let watch = Watch::new(Arc::clone(&cancelled), Some(Instant::now() + TIMEOUT));
    let space = Arc::clone(&logspace);
    let work = move || query::context(&space.snapshot(), sequence, before, after, same, &watch);
    let found = searching::blocking(&state, cancelled, work).await?;
    let found = found.map_err(|error| rows::search_error(&error, TIMEOUT))?;
    if found.is_empty() {
        return Err(gone(&logspace, sequence));
    }
    Ok(Json(ContextAnswer { rows: found.iter().map(|document| rows::row(document, &[])).collect() }))
}
