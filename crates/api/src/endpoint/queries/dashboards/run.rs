//! A run of a dashboard: one snapshot of each logspace, then the panels, some at once.
//!
//! In: a dashboard and a request. Out: the answers of all panels. Holds: the answers until the last one is there.
//! Limits: [`PANELS_AT_ONCE`] searches at once, [`FILTERS_MAX`] filters.

use super::{
    panel::{PanelSearch, PreparedPanel},
    request::{FieldValue, RunRequest},
};
use crate::{
    access::{accounts::Right, sessions::User},
    error::ApiError,
    json::types::{ClockName, Operator, TimeRange},
    scope::Scope,
    search::searching,
    state::State,
};
use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use objects::{Dashboard, Panel, SearchClock, Values};
use query::{ParseOptions, SearchScope};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// Searches of a dashboard at once: others have their turn in between.
const PANELS_AT_ONCE: usize = 4;
/// Most fields by which all panels are filtered.
const FILTERS_MAX: usize = 20;

/// A run of a dashboard.
pub(super) struct Run {
    state: Arc<State>,
    user: User,
    dashboard: Dashboard,
    request: RunRequest,
    values: Values,
    options: ParseOptions,
    /// The logspaces by the names that panels have for them, all as they were at one moment; none: the user has no right.
    logspaces: HashMap<String, Option<SearchedScope>>,
}

/// A logspace of a run.
struct SearchedScope {
    scope: Arc<Scope>,
    messages: Arc<SearchScope>,
}

impl Run {
    /// Takes the snapshot of every logspace that a panel needs.
    pub(super) fn new(
        state: Arc<State>,
        user: User,
        mut dashboard: Dashboard,
        request: RunRequest,
    ) -> Result<Run, ApiError> {
        let refuse = |error: objects::ParameterError| ApiError::bad_request(error.to_string());
        if request.filters.len() > FILTERS_MAX {
            return Err(ApiError::bad_request(format!("at most {FILTERS_MAX} filters")));
        }
        let values = dashboard.values(&request.params).map_err(refuse)?;
        dashboard.select(request.logspace.as_deref(), request.panels.as_deref()).map_err(refuse)?;
        let Some(first) = state.scopes(&user)?.into_iter().next() else {
            return Err(needs(&user, "a logspace"));
        };
        // A panel may name the logspace that others have by default: its snapshot is the same.
        let (mut logspaces, mut snapshots) = (HashMap::new(), HashMap::new());
        for panel in &dashboard.panels {
            logspaces.entry(panel.logspace.clone()).or_insert_with(|| {
                let scope = match panel.logspace.as_str() {
                    "" => first.clone(),
                    // Nobody learns here whether there is a logspace that they may not search.
                    name => state.scope(&user, Some(name), Right::Search).ok()?,
                };
                let taken = snapshots.entry(scope.name.clone());
                let messages = Arc::clone(taken.or_insert_with(|| Arc::new(scope.space(&user.keyring))));
                Some(SearchedScope { scope, messages })
            });
        }
        let options = searching::options(Operator::And);
        Ok(Run { state, user, dashboard, request, values, options, logspaces })
    }

    /// Searches for all panels and writes the answer.
    pub(super) async fn answer(self, name: &str, mut about: Value) -> Result<Response, ApiError> {
        let prepared: Vec<_> = self.dashboard.panels.iter().map(|panel| self.prepare(panel)).collect();
        about["panels"] = prepared.iter().map(PreparedPanel::noted).collect();
        let (user, timeout_ms) = (self.user.name.as_str(), self.request.timeout_ms);
        let searches = prepared.into_iter().map(|panel| panel.answer(&self.state, user, timeout_ms));
        let searches = stream::iter(searches).buffered(PANELS_AT_ONCE).collect::<Vec<_>>();
        // Nothing is shown before it is in the ledger; the searches may run meanwhile.
        let (noted, answers) = tokio::join!(self.note(name, about), searches);
        noted?;
        let mark = |searched: &SearchedScope| {
            let ends: Vec<u64> =
                searched.messages.members.iter().map(|member| member.snapshot.sequence).collect();
            self.state.ids().mark(&searched.scope, &ends)
        };
        let snapshot: BTreeMap<&str, _> =
            self.scopes().into_iter().map(|(name, searched)| (name, mark(searched))).collect();
        let mut body =
            json!({"taken_us": self.options.now_us, "snapshot": snapshot}).to_string().into_bytes();
        body.truncate(body.len() - 1);
        body.extend_from_slice(b",\"panels\":[");
        body.extend_from_slice(&answers.join(&b','));
        body.extend_from_slice(b"]}");
        Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
    }

    /// Writes the queries into the ledger, one entry for each logspace.
    async fn note(&self, name: &str, about: Value) -> Result<(), ApiError> {
        for searched in self.scopes().into_values() {
            let mut details = about.clone();
            if let Some(panels) = details["panels"].as_array_mut() {
                panels.retain(|panel| panel["logspace"] == searched.scope.name);
            }
            self.state.note(&self.user, "run-dashboard", &searched.scope, name, details).await?;
        }
        Ok(())
    }

    /// The logspaces that are searched; a panel may name the one that others have by default.
    fn scopes(&self) -> BTreeMap<&str, &SearchedScope> {
        let known = self.logspaces.values().flatten();
        known.map(|searched| (searched.scope.name.as_str(), searched)).collect()
    }

    /// Makes the query of a panel.
    fn prepare(&self, panel: &Panel) -> PreparedPanel {
        let searched = self.logspaces.get(&panel.logspace).and_then(Option::as_ref);
        let logspace = searched.map_or(&panel.logspace, |searched| &searched.scope.name).clone();
        let filters = self.request.filters.iter();
        let filters: Vec<(String, String)> =
            filters.map(|FieldValue { field, value }| (field.clone(), value.clone())).collect();
        let text = panel.query_with(&self.values, &filters);
        let shown = text.as_ref().map_or_else(|_| panel.query.clone(), String::clone);
        let ready = match (searched, text) {
            (None, _) => Err(needs(&self.user, &panel.logspace)),
            (_, Err(error)) => Err(error.into()),
            (Some(searched), Ok(text)) => self.ready(panel, &text, searched),
        };
        PreparedPanel { id: panel.id.clone(), logspace, query: shown, ready }
    }

    fn ready(&self, panel: &Panel, text: &str, searched: &SearchedScope) -> Result<PanelSearch, ApiError> {
        let SearchedScope { scope, messages } = searched;
        let RunRequest { from, to, clock, .. } = &self.request;
        let (from, to) = self.dashboard.times(panel, (from.as_deref(), to.as_deref()));
        let clock = clock.unwrap_or(match self.dashboard.time.clock {
            SearchClock::Received => ClockName::Received,
            SearchClock::Event => ClockName::Event,
        });
        let (query, mut search) = searching::prepare_at(text, &self.options, &TimeRange { clock, from, to })?;
        searching::check_pipes(&query, scope)?;
        (search.limit, search.buckets) = panel.sizes(&query);
        let is_compared = panel.options.compare;
        let (scope, messages) = (scope.clone(), messages.clone());
        Ok(PanelSearch { query: Arc::new(query), search, scope, messages, is_compared })
    }
}

/// The error of a panel whose logspace the user may not search.
fn needs(user: &User, logspace: &str) -> ApiError {
    ApiError::forbidden(format!("{} needs the right to search {logspace}", user.name))
}
