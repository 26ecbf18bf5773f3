//! `/explain`: the cost of a query, and where its time is spent.
//!
//! In: a query and a time range. Out: the condition as planned, each part with its figures from the index.
//! Limits: those of a search. It reveals something about messages, so it counts as a search and is recorded in the
//! ledger.

use crate::{
    access::{accounts::Right, sessions::User},
    error::ApiError,
    json::{
        rows,
        types::{ExplainAnswer, ExplainRequest, ExplainedPart, PartReads},
    },
    request::extract::Body,
    search::searching,
    state::State,
};
use ::query::{Means, Search};
use axum::{Json, extract::State as Shared};
use std::sync::Arc;

/// Estimates the cost of a question; with `run` also reports the matches and the time.
#[utoipa::path(post, path = "/api/v1/explain", request_body = ExplainRequest, responses(
    (status = 200, body = ExplainAnswer), (status = 400, body = crate::error::ErrorAnswer),
    (status = 504, body = crate::error::ErrorAnswer)))]
pub(crate) async fn explain(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Body(request): Body<ExplainRequest>,
) -> Result<Json<ExplainAnswer>, ApiError> {
    let (query, search) = searching::prepare(&request.query, request.default_operator, &request.time)?;
    let scope = state.scope(&user, request.logspace.as_deref(), Right::Search)?;
    searching::check_pipes(&query, &scope)?;
    let details = serde_json::json!({"from_us": search.from_us, "to_us": search.to_us, "run": request.run});
    state.note(&user, "explain", &scope, &request.query, details).await?;
    let hints = query.hints().iter().map(|hint| hint.message.clone()).collect();
    let pipes = query.written_pipes().iter().map(|pipe| pipe.text.clone()).collect();
    let query = Arc::new(query);
    let space = scope.space(&user.keyring);
    let counted = Search { limit: 0, buckets: 0, ..search.clone() };
    let (asked, within) = (query.clone(), space.clone());
    let explained = searching::run(&state, &user.name, search, request.timeout_ms, move |search| {
        ::query::explain(&within, &asked, &search)
    });
    let explained = explained.await?;
    let mut answer = ExplainAnswer {
        tree: part(explained.root),
        pipes,
        segments: explained.segments,
        skipped_by_time: explained.skipped,
        messages: explained.messages,
        messages_read: explained.undecided,
        blocks_read: explained.text.blocks,
        bytes_read: explained.text.bytes,
        index_ms: ms(explained.index_us),
        estimated_ms: ms(explained.estimated_us),
        total: None,
        took_ms: None,
        hints,
        unread: explained.unread.iter().map(|unread| rows::unread(&scope, unread)).collect(),
    };
    if request.run {
        let found = searching::run(&state, &user.name, counted, request.timeout_ms, move |search| {
            if query.written_pipes().is_empty() {
                return ::query::search(&space, &query, &search);
            }
            ::query::search_piped(&space, &query, &search, &mut |_| Ok(false)).map(|(answer, _)| answer)
        });
        let found = found.await?;
        if found.timed_out.is_none() {
            answer.total = Some(found.total);
        }
        answer.took_ms = Some(ms(found.took_us));
    }
    Ok(Json(answer))
}

fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}

fn part(explained: ::query::ExplainedPart) -> ExplainedPart {
    ExplainedPart {
        asks: explained.shown,
        reads: match explained.means {
            Means::Parts => PartReads::Parts,
            Means::Nothing => PartReads::Nothing,
            Means::Words => PartReads::Words,
            Means::Columns => PartReads::Columns,
            Means::Text => PartReads::Text,
        },
        segments: explained.segments,
        words: explained.words,
        postings: explained.postings,
        messages: explained.documents,
        undecided: explained.undecided,
        took_ms: ms(explained.took_us),
        parts: explained.parts.into_iter().map(part).collect(),
    }
}

#[cfg(test)]
mod tests {
    //! Units of times.

    use super::*;

    #[test]
    fn times_are_milliseconds() {
        assert_eq!([ms(0), ms(1_500), ms(2_000_000)], [0.0, 1.5, 2_000.0]);
    }
}
