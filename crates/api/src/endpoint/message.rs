//! `/message` and `/context`: one message in full, and the messages around it.
//!
//! In: the name of a row. Out: rows. Limits: [`CONTEXT_MAX`] rows on each side.

use crate::{
    access::{accounts::Right, sessions::User},
    error::ApiError,
    json::{
        ids::Id,
        rows,
        types::{ContextAnswer, MessageAnswer},
    },
    request::extract::Parameters,
    search::searching,
    state::State,
};
use axum::{Json, extract::State as Shared};
use lookup::{CancelToken, Locked};
use query::{Near, Same, SearchScope};
use serde::Deserialize;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use utoipa::{IntoParams, ToSchema};

/// Most rows before and after the anchor.
const CONTEXT_MAX: usize = 500;
/// Longest search for neighbours.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The message to return.
#[derive(Deserialize, IntoParams)]
pub(crate) struct MessageParameters {
    /// Name; may be left out when there is one.
    logspace: Option<String>,
    /// The value `sequence` of its row.
    sequence: String,
}

/// Returns one message with its raw bytes and tokens.
#[utoipa::path(get, path = "/api/v1/message", params(MessageParameters), responses(
    (status = 200, body = MessageAnswer), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn message(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<MessageParameters>,
) -> Result<Json<MessageAnswer>, ApiError> {
    let scope = state.scope(&user, parameters.logspace.as_deref(), Right::Search)?;
    let place = state.ids().place(&scope, &Id::parse(&parameters.sequence))?;
    let details = serde_json::json!({"sequence": place});
    state.note(&user, "message", &scope, "", details).await?;
    let space = scope.space(&user.keyring);
    let asked = space.clone();
    let work = move || query::message(&asked, place, &CancelToken::unlimited());
    let found = searching::blocking(&state, &user.name, Arc::default(), work).await?;
    let found = found.map_err(|error| rows::search_error(&error, TIMEOUT))?;
    let found = found.ok_or_else(|| gone(&space, place))?;
    let document = found.document;
    let tokens = found.tokens.iter().filter_map(|range| document.text.get(range.clone()));
    Ok(Json(MessageAnswer {
        row: rows::row(state.ids(), &scope, &document, &[]),
        raw_base64: rows::base64(&document.raw),
        tokens: tokens.map(|token| rows::text(token).to_lowercase()).collect(),
    }))
}

/// Returns the error for a missing message, with the reason.
fn gone(space: &SearchScope, place: u64) -> ApiError {
    let (member, sequence) = query::member_of(place);
    let is_in = |locked: &Locked| (locked.first..locked.first + locked.count).contains(&sequence);
    let Some(member) = space.members.get(member).filter(|_| space.is_plain()) else {
        return ApiError::not_found(
            "there is no such message: it never was, is locked, or retention removed it",
        );
    };
    if member.snapshot.locked.iter().any(is_in) {
        return ApiError::not_found(format!(
            "message {sequence} is locked: unlock the logspace with its private key"
        ));
    }
    ApiError::not_found(format!("there is no message {sequence}: it never was, or retention removed it"))
}

/// The property that the neighbours must share with the anchor.
#[derive(Deserialize, ToSchema, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SameName {
    /// The same sender: source statement, peer and host.
    #[default]
    Source,
    /// The same host.
    Host,
    /// No property: all messages that were received around it.
    None,
}

/// The message, and the amount of context around it.
#[derive(Deserialize, IntoParams)]
pub(crate) struct ContextParameters {
    /// Name; may be left out when there is one.
    logspace: Option<String>,
    /// The value `sequence` of the anchor's row.
    sequence: String,
    /// Rows before it, 5 when left out.
    before: Option<usize>,
    /// Rows after it, 5 when left out.
    after: Option<usize>,
    /// The property that they share with it.
    #[serde(default)]
    #[param(inline)]
    same: SameName,
}

/// Returns the messages around one.
#[utoipa::path(get, path = "/api/v1/context", params(ContextParameters), responses(
    (status = 200, body = ContextAnswer), (status = 404, body = crate::error::ErrorAnswer)))]
pub(crate) async fn context(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<ContextParameters>,
) -> Result<Json<ContextAnswer>, ApiError> {
    let scope = state.scope(&user, parameters.logspace.as_deref(), Right::Search)?;
    let same = match parameters.same {
        SameName::Source => Same::Source,
        SameName::Host => Same::Host,
        SameName::None => Same::None,
    };
    let (before, after) = (parameters.before.unwrap_or(5), parameters.after.unwrap_or(5));
    let (before, after) = (before.min(CONTEXT_MAX), after.min(CONTEXT_MAX));
    let place = state.ids().place(&scope, &Id::parse(&parameters.sequence))?;
    let details = serde_json::json!({"sequence": place, "before": before, "after": after});
    state.note(&user, "context", &scope, "", details).await?;
    let cancelled = Arc::default();
    let cancel = CancelToken::new(Arc::clone(&cancelled), Some(Instant::now() + TIMEOUT));
    let space = scope.space(&user.keyring);
    let asked = space.clone();
    let near = Near { before, after, same };
    let mut memory = state.memory().budget(&cancel).permit("context");
    let work = move || {
        let found = query::context(&asked, place, near, &cancel, &mut memory);
        (found, memory)
    };
    // The memory is given back when the answer was written.
    let (found, _memory) = searching::blocking(&state, &user.name, cancelled, work).await?;
    let found = found.map_err(|error| rows::search_error(&error, TIMEOUT))?;
    if found.is_empty() {
        return Err(gone(&space, place));
    }
    let row = |document| rows::row(state.ids(), &scope, document, &[]);
    Ok(Json(ContextAnswer { rows: found.iter().map(row).collect() }))
}
