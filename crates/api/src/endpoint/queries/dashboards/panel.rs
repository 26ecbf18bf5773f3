//! One panel: its search, and its answer as JSON.
//!
//! In: a query with values. Out: an answer, or an error that costs this panel only. Limits: [`FIRST_BYTES`] of JSON.

use crate::{
    endpoint::search::writer,
    error::{ApiError, ErrorDetail},
    json::types::SearchAnswer,
    scope::Scope,
    search::{
        answer::{FIRST_BYTES, Shown},
        searching,
    },
    state::State,
};
use query::{Query, Search, SearchError, SearchScope};
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::ToSchema;

/// The answer of a panel.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes an answer that is written piece by piece")]
pub(crate) struct PanelAnswer {
    /// The id of the panel.
    id: String,
    /// The logspace that was searched, by the name that it is searched by.
    logspace: String,
    /// The query with the values of parameters and the filters.
    query: String,
    /// The answer, absent with an error.
    answer: Option<SearchAnswer>,
    /// The answer for the same time before, of a number that is compared.
    previous: Option<SearchAnswer>,
    /// The error; `forbidden` when the user may not search the logspace.
    error: Option<ErrorDetail>,
}

/// A panel whose query is ready to be run, or why it is not.
pub(super) struct PreparedPanel {
    pub(super) id: String,
    pub(super) logspace: String,
    pub(super) query: String,
    pub(super) ready: Result<PanelSearch, ApiError>,
}

/// The search of a panel.
pub(super) struct PanelSearch {
    pub(super) query: Arc<Query>,
    pub(super) search: Search,
    pub(super) scope: Arc<Scope>,
    pub(super) messages: Arc<SearchScope>,
    /// True to search for the same time before, too.
    pub(super) is_compared: bool,
}

impl PreparedPanel {
    /// The part of the entry of the ledger.
    pub(super) fn noted(&self) -> Value {
        let search = self.ready.as_ref().ok().map(|ready| &ready.search);
        let (from_us, to_us) = search.map(|search| (search.from_us, search.to_us)).unwrap_or_default();
        json!({"id": self.id, "logspace": self.logspace, "query": self.query, "from_us": from_us, "to_us": to_us})
    }

    /// Runs the search; returns the answer as JSON.
    pub(super) async fn answer(self, state: &Arc<State>, user: &str, timeout_ms: u64) -> Vec<u8> {
        let head = json!({"id": self.id, "logspace": self.logspace, "query": self.query});
        let mut json = head.to_string().into_bytes();
        json.truncate(json.len() - 1);
        let found = match self.ready {
            Ok(ready) => ready.run(state, user, timeout_ms).await,
            Err(error) => Err(error),
        };
        let members = match found {
            Ok((answer, previous)) => {
                let previous = previous.map(|previous| (&b",\"previous\":"[..], previous));
                [Some((&b",\"answer\":"[..], answer)), previous]
            }
            Err(error) => {
                let detail = json!(error.into_parts().1).to_string().into_bytes();
                [Some((&b",\"error\":"[..], detail)), None]
            }
        };
        for (name, value) in members.into_iter().flatten() {
            json.extend_from_slice(name);
            json.extend_from_slice(&value);
        }
        json.push(b'}');
        json
    }
}

impl PanelSearch {
    /// Searches; returns the answer, and that for the time before if it is wanted and the range has two ends.
    async fn run(
        self,
        state: &Arc<State>,
        user: &str,
        timeout_ms: u64,
    ) -> Result<(Vec<u8>, Option<Vec<u8>>), ApiError> {
        let PanelSearch { query, search, scope, messages, is_compared } = self;
        let shown = Shown { state: state.clone(), scope, query, user: user.to_owned() };
        let before = time_before(&search).filter(|_| is_compared);
        let work = move |search: Search| {
            let answer = written(&shown, &messages, &search)?;
            let at = |(from, to)| Search { from_us: Some(from), to_us: Some(to), ..search.clone() };
            let previous = before.map(|times| written(&shown, &messages, &at(times))).transpose()?;
            Ok((answer, previous))
        };
        searching::run(state, user, search, timeout_ms, work).await
    }
}

/// The time range of the same length before that of a search; none when an end is open.
fn time_before(search: &Search) -> Option<(i64, i64)> {
    let (from, to) = (search.from_us?, search.to_us?);
    Some((from.checked_sub(to.checked_sub(from)?)?, from))
}

/// Searches, and writes the whole answer.
fn written(shown: &Shown, messages: &SearchScope, search: &Search) -> Result<Vec<u8>, SearchError> {
    let found = searching::answer_with_rows(messages, shown, search)?;
    let hints = shown.query.hints().iter().map(|hint| hint.message.clone()).collect();
    let mut writer = writer(shown.clone(), found, hints, search);
    let piece = writer.piece(FIRST_BYTES)?.unwrap_or_default();
    match writer.is_done() {
        true => Ok(piece),
        false => Err(SearchError::Refused("the answer has more than 1 MiB: ask for fewer rows".to_owned())),
    }
}
