//! `/rules`: the rules in force, and how far they have come.
//!
//! In: filters. Out: rules that watch logspaces that the user may search, with their state there. Holds nothing: the
//! database is that of crate `alerts`. Limits: [`LIST_MAX`] rules a call, [`FIRING_MAX`] alerts that are counted.

use super::{read, visible};
use crate::{
    access::{
        accounts::{EVERY_LOGSPACE, Right},
        sessions::User,
    },
    error::ApiError,
    json::rules::{RuleAnswer, RuleHealth, RuleList},
    request::extract::Parameters,
    state::State,
};
use alerts::{Alert, AlertFilter, AlertState, Coverage, FollowerStatus, Store, StoreError, rules_in_force};
use axum::{Json, extract::State as Shared};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};
use utoipa::IntoParams;

/// Rules of a list without a limit.
const LIST_DEFAULT: usize = 500;
/// Most rules of a list.
const LIST_MAX: usize = 2_000;
/// Most alerts that are counted.
const FIRING_MAX: usize = 10_000;
/// Longest text to look for, in bytes.
const TEXT_BYTES_MAX: usize = 200;

/// The rules to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RuleParameters {
    /// Only those that watch this logspace.
    logspace: Option<String>,
    /// Only the rule with this id.
    id: Option<String>,
    /// Only those with this text in their title, id, description or query, in any case of letters.
    text: Option<String>,
    /// Most rules, up to 2,000; 500 if left out.
    limit: Option<usize>,
}

/// Lists the rules in force, by title.
#[utoipa::path(get, path = "/api/v1/rules", params(RuleParameters), responses(
    (status = 200, body = RuleList), (status = 400, body = crate::error::ErrorAnswer)))]
pub(crate) async fn list(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<RuleParameters>,
) -> Result<Json<RuleList>, ApiError> {
    let limit = parameters.limit.unwrap_or(LIST_DEFAULT);
    if limit == 0 || limit > LIST_MAX {
        return Err(ApiError::bad_request(format!("limit: 1 to {LIST_MAX}")));
    }
    if parameters.text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES_MAX) {
        return Err(ApiError::bad_request(format!("text: at most {TEXT_BYTES_MAX} bytes")));
    }
    let logspaces = match parameters.logspace.as_deref() {
        Some(name) => vec![state.scope(&user, Some(name), Right::Search)?.name.clone()],
        None => visible(&state, &user)?,
    };
    let (followers, problems) = threads(&state).await?;
    let may_know = state.may(&user, EVERY_LOGSPACE, Right::Administer)?;
    let found = read(&state, Vec::new(), move |store| {
        let wanted = RuleFilter::of(&parameters);
        let mut rules = BTreeMap::new();
        for logspace in &logspaces {
            add(&mut rules, store, logspace, &wanted, &followers)?;
        }
        Ok(rules.into_values().collect())
    });
    let mut rules: Vec<RuleAnswer> = found.await?;
    rules.sort_by_cached_key(|rule| (rule.title.to_lowercase(), rule.id.clone()));
    let more = rules.len() > limit;
    rules.truncate(limit);
    let has_problems = !problems.is_empty();
    let problems = if may_know { problems } else { Vec::new() };
    Ok(Json(RuleList { rules, more, problems, has_problems }))
}

/// The figures of the threads, and why rules were left out. They may wait for a reload.
async fn threads(state: &Arc<State>) -> Result<(Vec<FollowerStatus>, Vec<String>), ApiError> {
    let state = Arc::clone(state);
    let read = move || (state.backend().rule_followers(), state.backend().rule_problems());
    tokio::task::spawn_blocking(read).await.map_err(|_| ApiError::internal("the call ended by a bug"))
}

/// The rules that are asked for.
struct RuleFilter {
    id: Option<String>,
    text: Option<String>,
}

impl RuleFilter {
    fn of(parameters: &RuleParameters) -> RuleFilter {
        let text = parameters.text.as_ref().map(|text| text.to_lowercase());
        RuleFilter { id: parameters.id.clone(), text }
    }

    fn fits(&self, rule: &alerts::RuleInForce) -> bool {
        let rule = &rule.rule;
        let is_id = self.id.as_ref().is_none_or(|id| **id == *rule.id);
        let texts = [&*rule.id, &rule.title, &rule.description, rule.query.text()];
        let has = |text: &String| texts.iter().any(|one| one.to_lowercase().contains(text));
        is_id && self.text.as_ref().is_none_or(has)
    }
}

/// Adds the rules of a logspace, with their state there.
fn add(
    rules: &mut BTreeMap<String, RuleAnswer>,
    store: &Store,
    logspace: &str,
    wanted: &RuleFilter,
    followers: &[FollowerStatus],
) -> Result<(), StoreError> {
    let found = rules_in_force(store, logspace)?;
    let found: Vec<_> = found.into_iter().filter(|rule| wanted.fits(rule)).collect();
    if found.is_empty() {
        return Ok(());
    }
    let watched = store.watched()?.into_iter().find(|watched| watched.logspace == logspace);
    let next_sequence = watched.map_or(0, |watched| watched.cursor);
    let status = followers.iter().find(|status| &*status.logspace == logspace);
    let empty = RuleHealth::of(logspace, next_sequence, status);
    let mut states: BTreeMap<String, RuleHealth> = BTreeMap::new();
    for part in store.coverage(logspace, wanted.id.as_deref())? {
        cover(states.entry(part.rule.clone()).or_insert_with(|| empty.clone()), &part);
    }
    for alert in firing(store, logspace)? {
        if let Some(state) = states.get_mut(&alert.rule) {
            state.firing += 1;
        }
    }
    for rule in &found {
        let answer = rules.entry(rule.rule.id.to_string()).or_insert_with(|| RuleAnswer::of(rule));
        let state = states.get(&*rule.rule.id).unwrap_or(&empty);
        answer.logspaces.push(state.clone());
    }
    Ok(())
}

/// Adds a stretch of messages to a state.
fn cover(state: &mut RuleHealth, part: &Coverage) {
    if part.state == EVALUATED {
        state.from = Some(state.from.map_or(part.from, |from| from.min(part.from)));
        return;
    }
    let to = part.to.unwrap_or(state.next_sequence);
    state.gaps += 1;
    state.missed += to.saturating_sub(part.from);
}

/// The state of messages that a rule has evaluated.
const EVALUATED: &str = "evaluated";

fn firing(store: &Store, logspace: &str) -> Result<Vec<Alert>, StoreError> {
    store.alerts(&AlertFilter {
        logspaces: Some(vec![logspace.to_owned()]),
        rule: None,
        state: Some(AlertState::Firing),
        before: None,
        limit: FIRING_MAX,
    })
}
