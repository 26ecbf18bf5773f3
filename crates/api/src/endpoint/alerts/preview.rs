//! `/rules/preview`: what a rule would have reported over the messages of a logspace.
//!
//! In: a rule and a range of received time. Out: bars and moments. It runs as a search does: with the rights of the user,
//! in turn with the searches of others, with a budget of memory, and it ends when its client has gone.
//! Limits: [`RANGE_US_MAX`], [`BARS_MAX`], those of [`watch::history`].

use crate::{
    access::{accounts::Right, sessions::User},
    error::ApiError,
    json::rules::{PreviewAnswer, PreviewRequest},
    json::types::{Operator, TimeRange},
    request::extract::Body,
    search::searching,
    state::State,
};
use axum::{Json, extract::State as Shared};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use watch::{BARS_MAX, HistoryRange, Rule};

/// Bars without a number of them.
const BARS_DEFAULT: usize = 84;
/// Longest time of a preview without one, in milliseconds.
const TIMEOUT_MS_DEFAULT: u64 = 10_000;
/// Longest range, in microseconds: 400 days, as the longest window.
const RANGE_US_MAX: i64 = watch::WINDOW_US_MAX;
/// Messages that were received before this and are on their way may still come, in microseconds.
const LAG_US: i64 = 2_000_000;
/// The id of a rule that has none yet.
const NEW_ID: &str = "new";

/// Tries a rule over messages that are stored already.
#[utoipa::path(post, path = "/api/v1/rules/preview", request_body = PreviewRequest, responses(
    (status = 200, body = PreviewAnswer), (status = 400, body = crate::error::ErrorAnswer)))]
pub(crate) async fn preview(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Body(request): Body<PreviewRequest>,
) -> Result<Json<PreviewAnswer>, ApiError> {
    let bars = request.bars.unwrap_or(BARS_DEFAULT);
    if bars == 0 || bars > BARS_MAX {
        return Err(ApiError::bad_request(format!("bars: 1 to {BARS_MAX}")));
    }
    let rule = rule_of(request.rule)?;
    let to = request.to.unwrap_or_else(|| "now".to_owned());
    let time = TimeRange { clock: Default::default(), from: Some(request.from), to: Some(to) };
    let (_, mut search) = searching::prepare("", Operator::And, &time)?;
    let received_us = range(search.from_us, search.to_us)?;
    let scope = state.scope(&user, Some(&request.logspace), Right::Search)?;
    let logspace = scope.watchable()?;
    let details = json!({"from_us": received_us.0, "to_us": received_us.1, "kind": rule.kind.name()});
    state.note(&user, "preview-rule", &scope, rule.query.text(), details).await?;
    search.limit = 0;
    let timeout_ms = request.timeout_ms.unwrap_or(TIMEOUT_MS_DEFAULT);
    let tried = Arc::clone(&rule);
    let history = searching::run(&state, &user.name, search, timeout_ms, move |search| {
        // The most memory that a rule may use is reserved first, so that previews wait for memory as searches do.
        let mut memory = search.memory.permit("rule");
        memory.grow(watch::HISTORY_BYTES_MAX)?;
        let range = HistoryRange { received_us, bars };
        let history = watch::history(&tried, &logspace.snapshot(), range, &search.cancel)?;
        Ok(history)
    });
    Ok(Json(PreviewAnswer::of(&rule, received_us, history.await?)))
}

/// Reads a rule; the first fault is the one to mend.
fn rule_of(mut keys: Map<String, Value>) -> Result<Arc<Rule>, ApiError> {
    keys.entry("id").or_insert_with(|| NEW_ID.into());
    let text = json!({"rules": [keys]}).to_string();
    let rules = watch::read(&text).map_err(|errors| {
        let fault = errors.first().map(|error| error.fault.to_string());
        ApiError::bad_request(fault.unwrap_or_else(|| "this is no rule".to_owned()))
    })?;
    rules.into_iter().next().ok_or_else(|| ApiError::bad_request("this is no rule".to_owned()))
}

/// Returns the range of received time: not beyond what has surely been received.
fn range(from_us: Option<i64>, to_us: Option<i64>) -> Result<(i64, i64), ApiError> {
    let most = super::now_us() - LAG_US;
    let to_us = to_us.map_or(most, |to_us| to_us.min(most));
    match from_us {
        Some(from_us) if from_us < to_us && to_us - from_us <= RANGE_US_MAX => Ok((from_us, to_us)),
        _ => {
            Err(ApiError::bad_request("the range must begin before its end, and be no longer than 400 days"))
        }
    }
}
