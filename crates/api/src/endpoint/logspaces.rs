//! `/logspaces`: what there is to search.
//!
//! In: nothing. Out: one entry a logspace.

use crate::{guard::User, state::State, types::LogspaceAnswer};
use axum::{Json, extract::State as Shared};
use std::sync::Arc;

/// Lists the logspaces.
#[utoipa::path(get, path = "/api/v1/logspaces", responses((status = 200, body = Vec<LogspaceAnswer>)))]
pub(crate) async fn logspaces(Shared(state): Shared<Arc<State>>, _user: User) -> Json<Vec<LogspaceAnswer>> {
    let all = state.backend().logspaces();
    Json(
        all.into_iter()
            .map(|(name, logspace)| {
                let (stats, snapshot) = (logspace.stats(), logspace.snapshot());
                let filled = || snapshot.segments.iter().filter(|segment| !segment.is_empty());
                LogspaceAnswer {
                    name,
                    messages: snapshot.segments.iter().map(|segment| u64::from(segment.len())).sum(),
                    bytes: stats.segment_bytes + stats.journal_bytes,
                    oldest_us: filled().next().map(|segment| segment.received_range().0),
                    newest_us: filled().next_back().map(|segment| segment.received_range().1),
                }
            })
            .collect(),
    )
}
