//! `/rules`: the rules in force, and how far they have come; saved rules that are not in force, and why.
//!
//! In: filters. Out: rules that watch logspaces that the user may search, with their state there; of saved ones those that the user
//! may see. Holds nothing: the databases are those of crates `alerts` and `objects`. Limits: [`LIST_MAX`] rules a call.

use super::{read, visible};
use crate::{
    access::{
        accounts::{EVERY_LOGSPACE, Right},
        sessions::User,
    },
    endpoint::objects::work::{self, ObjectError},
    error::ApiError,
    json::rules::{RuleAnswer, RuleHealth, RuleList},
    request::extract::Parameters,
    state::State,
};
use alerts::{FollowerStatus, RuleInForce, Store, StoreError, rule_progress, rules_in_force};
use axum::{Json, extract::State as Shared};
use objects::{Filter, Kind, Object, Ownership};
use serde::Deserialize;
use serde_json::json;
use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};
use utoipa::{IntoParams, ToSchema};
use watch::Rule;

/// Rules of a list without a limit.
const LIST_DEFAULT: usize = 500;
/// Most rules of a list.
const LIST_MAX: usize = 2_000;
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
    /// Whose saved rules, besides those of files: `visible` (the default: one's own, shared ones), `all` (for administrators).
    #[serde(default)]
    of: RulesOf,
    /// Most rules, up to 2,000; 500 if left out.
    limit: Option<usize>,
}

/// The owners of saved rules to list.
#[derive(Deserialize, ToSchema, Clone, Copy, Default)]
#[serde(rename_all = "lowercase")]
enum RulesOf {
    #[default]
    Visible,
    All,
}

/// Lists rules, by title: those in force, and saved ones that are not.
#[utoipa::path(get, path = "/api/v1/rules", params(RuleParameters), responses(
    (status = 200, body = RuleList), (status = 400, body = crate::error::ErrorAnswer),
    (status = 403, body = crate::error::ErrorAnswer)))]
pub(crate) async fn list(
    Shared(state): Shared<Arc<State>>,
    user: User,
    Parameters(parameters): Parameters<RuleParameters>,
) -> Result<Json<RuleList>, ObjectError> {
    let limit = parameters.limit.unwrap_or(LIST_DEFAULT);
    if limit == 0 || limit > LIST_MAX {
        return Err(ApiError::bad_request(format!("limit: 1 to {LIST_MAX}")).into());
    }
    if parameters.text.as_ref().is_some_and(|text| text.len() > TEXT_BYTES_MAX) {
        return Err(ApiError::bad_request(format!("text: at most {TEXT_BYTES_MAX} bytes")).into());
    }
    let logspaces = match parameters.logspace.as_deref() {
        Some(name) => vec![state.scope(&user, Some(name), Right::Search)?.name.clone()],
        None => visible(&state, &user)?,
    };
    let threads = threads(&state).await?;
    let objects = saved(&state, &user, parameters.of).await?;
    let may_know = state.may(&user, EVERY_LOGSPACE, Right::Administer)?;
    let wanted = RuleFilter::of(&parameters);
    let only = parameters.logspace;
    let (Threads { followers, problems, stopped }, empty) = (threads, Vec::new());
    let in_force = read(&state, empty, {
        let (wanted, objects) = (wanted.clone(), objects.clone());
        move |store| {
            let mut rules = BTreeMap::new();
            for logspace in &logspaces {
                add(&mut rules, store, logspace, &wanted, &objects, &followers)?;
            }
            Ok(rules.into_values().collect())
        }
    });
    let mut rules: Vec<RuleAnswer> = in_force.await?;
    let known: HashSet<String> = rules.iter().map(|rule| rule.id.clone()).collect();
    let others = objects.into_values().filter(|object| !known.contains(object.summary.id.as_str()));
    rules.extend(others.filter_map(|object| not_running(object, &wanted, only.as_deref(), &stopped)));
    rules.sort_by_cached_key(|rule| (rule.title.to_lowercase(), rule.id.clone()));
    let more = rules.len() > limit;
    rules.truncate(limit);
    let has_problems = !problems.is_empty();
    let problems = if may_know { problems } else { Vec::new() };
    Ok(Json(RuleList { rules, more, problems, has_problems }))
}

/// The objects of rules that a user may see, by id; without a usable database those of files.
async fn saved(
    state: &Arc<State>,
    user: &User,
    of: RulesOf,
) -> Result<BTreeMap<String, Object>, ObjectError> {
    let ownership = match of {
        RulesOf::Visible => Ownership::Visible,
        RulesOf::All => Ownership::All,
    };
    if ownership == Ownership::All && work::caller(state, user)?.is_administrator {
        work::note_view(state, user, "list-objects", json!({"of": "all", "kind": Kind::RULE})).await?;
    }
    work::read(state, user, move |store, caller| {
        let filter = Filter { kind: Kind::RULE.parse().ok(), ownership, ..Filter::default() };
        let mut found = BTreeMap::new();
        for summary in store.list(caller, &filter)? {
            // One that was deleted meanwhile is left out.
            if let Ok(object) = store.object(caller, &summary.id) {
                found.insert(summary.id.to_string(), object);
            }
        }
        Ok(found)
    })
    .await
}

/// Returns the rule of an object that is not in force, if it is asked for.
fn not_running(
    object: Object,
    wanted: &RuleFilter,
    logspace: Option<&str>,
    stopped: &BTreeMap<String, String>,
) -> Option<RuleAnswer> {
    let kept = object.content.rule(&object.summary.id)?;
    if !wanted.fits(&kept.rule) || logspace.is_some_and(|name| !kept.rule.watches(name)) {
        return None;
    }
    let reason = stopped.get(object.summary.id.as_str()).filter(|_| kept.is_enabled).cloned();
    let state = match (kept.is_enabled, &reason) {
        (false, _) => "off",
        (true, Some(_)) => "stopped",
        (true, None) => "waiting",
    };
    let mut answer = RuleAnswer::of(&kept.rule).kept_in(object.summary);
    (answer.state, answer.reason) = (state, reason);
    Some(answer)
}

/// The figures of the threads, and why rules were left out.
struct Threads {
    followers: Vec<FollowerStatus>,
    problems: Vec<String>,
    stopped: BTreeMap<String, String>,
}

/// Asks the threads, which may wait for a reload.
async fn threads(state: &Arc<State>) -> Result<Threads, ApiError> {
    let state = Arc::clone(state);
    let read = move || {
        let backend = state.backend();
        let (followers, problems) = (backend.rule_followers(), backend.rule_problems());
        Threads { followers, problems, stopped: backend.stopped_rules() }
    };
    tokio::task::spawn_blocking(read).await.map_err(|_| ApiError::internal("the call ended by a bug"))
}

/// The rules that are asked for.
#[derive(Clone)]
struct RuleFilter {
    id: Option<String>,
    text: Option<String>,
}

impl RuleFilter {
    fn of(parameters: &RuleParameters) -> RuleFilter {
        let text = parameters.text.as_ref().map(|text| text.to_lowercase());
        RuleFilter { id: parameters.id.clone(), text }
    }

    fn fits(&self, rule: &Rule) -> bool {
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
    objects: &BTreeMap<String, Object>,
    followers: &[FollowerStatus],
) -> Result<(), StoreError> {
    let mut found = rules_in_force(store, logspace)?;
    // The rule of an object is for those who may see the object.
    found.retain(|one| wanted.fits(&one.rule) && (one.file.is_some() || objects.contains_key(&*one.rule.id)));
    if found.is_empty() {
        return Ok(());
    }
    let progress = rule_progress(store, logspace, wanted.id.as_deref())?;
    let status = followers.iter().find(|status| &*status.logspace == logspace);
    for rule in &found {
        let answer = rules.entry(rule.rule.id.to_string()).or_insert_with(|| answer(rule, objects));
        answer.logspaces.push(RuleHealth::of(logspace, progress.of(&rule.rule.id), status));
    }
    Ok(())
}

/// Returns a rule in force, without its state.
fn answer(found: &RuleInForce, objects: &BTreeMap<String, Object>) -> RuleAnswer {
    let answer = RuleAnswer::of(&found.rule);
    match (&found.file, objects.get(&*found.rule.id)) {
        (Some(file), _) => answer.in_file(file),
        (None, Some(object)) => answer.kept_in(object.summary.clone()),
        (None, None) => answer,
    }
}
