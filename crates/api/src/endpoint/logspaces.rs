//! `/logspaces`: the logspaces that the user may search.
//!
//! In: nothing. Out: one entry for each logspace that the user may search. Limits: [`TIMEOUT`] for counting messages
//! within boundaries; counts that take longer are left out.

use crate::{
    access::{
        accounts::{RIGHTS, Right},
        sessions::User,
    },
    error::ApiError,
    json::types::LogspaceAnswer,
    scope::{Scope, ScopeKind},
    search::searching,
    state::State,
};
use axum::{Json, extract::State as Shared};
use lookup::CancelToken;
use query::Extent;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Longest time of counting.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Lists the logspaces.
#[utoipa::path(get, path = "/api/v1/logspaces", responses((status = 200, body = Vec<LogspaceAnswer>)))]
pub(crate) async fn logspaces(
    Shared(state): Shared<Arc<State>>,
    user: User,
) -> Result<Json<Vec<LogspaceAnswer>>, ApiError> {
    let mut rights = Vec::new();
    let scopes = state.scopes(&user)?;
    for scope in &scopes {
        let mut may = Vec::new();
        for right in RIGHTS {
            if state.may(&user, &scope.name, right)? {
                may.push(right);
            }
        }
        rights.push(may);
    }
    let cancelled = Arc::default();
    let cancel = CancelToken::new(Arc::clone(&cancelled), Some(Instant::now() + TIMEOUT));
    let name = user.name.clone();
    let work = move || {
        let each = scopes.iter().zip(rights);
        each.map(|(scope, may)| answer(scope, may, &user, &cancel)).collect()
    };
    Ok(Json(searching::blocking(&state, &name, cancelled, work).await?))
}

fn answer(scope: &Scope, may: Vec<Right>, user: &User, cancel: &CancelToken) -> LogspaceAnswer {
    let space = scope.space(&user.keyring);
    let extent = query::extent(&space, cancel).ok();
    let received_us = extent.and_then(|extent: Extent| extent.received_us);
    let bytes = || {
        let stats = scope.members.iter().map(|member| member.logspace.stats());
        stats.map(|stats| stats.segment_bytes + stats.journal_bytes).sum()
    };
    LogspaceAnswer {
        name: scope.name.clone(),
        kind: scope.kind,
        may,
        messages: extent.map(|extent| extent.messages),
        bytes: (scope.kind == ScopeKind::Local).then(bytes),
        locked: space.members.iter().any(|member| !member.snapshot.locked.is_empty()),
        unlocked: scope.members.iter().any(|member| user.keyring.contains_key(&member.base)),
        oldest_us: received_us.map(|(oldest, _)| oldest),
        newest_us: received_us.map(|(_, newest)| newest),
    }
}
