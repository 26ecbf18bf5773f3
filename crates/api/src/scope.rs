//! The scopes that users search: local, filtered, multiple.
//!
//! In: open logspaces, boundaries. Out: the scope of a query. Holds: both.
//! Limits: a scope has at most [`query::MEMBERS_MAX`] members; the server refuses more in the configuration.

use crate::error::ApiError;
use logspace::{Logspace, Unlocked};
use query::{Boundary, SearchScope, SearchedLogspace};
use serde::Serialize;
use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};
use utoipa::ToSchema;

/// Longest time that an export waits until a logspace has started.
const START_PATIENCE: Duration = Duration::from_secs(60);
/// Interval at which the start of a logspace is checked.
const START_LOOK: Duration = Duration::from_millis(100);

/// The kinds of logspaces.
#[derive(Serialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum ScopeKind {
    /// A logspace that messages are written to.
    Local,
    /// A part of another logspace.
    Filtered,
    /// Several logspaces at once.
    Multiple,
}

/// A logspace by the name that it is searched by.
pub struct Scope {
    /// The name.
    pub name: String,
    /// The kind of the logspace.
    pub kind: ScopeKind,
    /// The local logspaces that are searched: one, or all that a multiple logspace consists of.
    pub members: Vec<ScopeMember>,
}

/// A local logspace of a scope.
pub struct ScopeMember {
    /// The name that its rows are shown under.
    pub shown: Arc<str>,
    /// The name of the local logspace.
    pub base: String,
    /// The local logspace.
    pub logspace: Arc<Logspace>,
    /// The messages that may be seen of it; none: all.
    pub boundary: Option<Arc<Boundary>>,
}

/// The segments that a session's keys unlocked, by local logspace.
pub(crate) type Keyring = HashMap<String, Arc<Unlocked>>;

impl Scope {
    /// A local logspace.
    pub fn local(name: &str, logspace: Arc<Logspace>) -> Scope {
        let member = ScopeMember { shown: name.into(), base: name.to_owned(), logspace, boundary: None };
        Scope { name: name.to_owned(), kind: ScopeKind::Local, members: vec![member] }
    }

    /// Returns the logspace itself, for rules; they watch no parts of one, and no several at once.
    pub(crate) fn watchable(&self) -> Result<Arc<Logspace>, ApiError> {
        let member = self.members.first().filter(|_| self.kind == ScopeKind::Local);
        let logspace = member.map(|member| Arc::clone(&member.logspace)).filter(|one| !one.is_encrypted());
        logspace.ok_or_else(|| {
            let text = "name a local one that is not encrypted";
            ApiError::bad_request(format!("rules cannot watch logspace {}: {text}", self.name))
        })
    }

    /// Returns true if its sequence numbers may be shown.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.members.as_slice(), [member] if member.boundary.is_none())
    }

    /// Waits until everything was read back from the journals after a start; an error when that takes longer than
    /// [`START_PATIENCE`].
    pub(crate) async fn started(&self) -> Result<(), ApiError> {
        let since = Instant::now();
        loop {
            let starting = self.members.iter().filter_map(|member| member.logspace.snapshot().starting);
            if starting.map(|starting| starting.count).sum::<u64>() == 0 {
                return Ok(());
            }
            if since.elapsed() >= START_PATIENCE {
                return Err(ApiError::starting(START_PATIENCE));
            }
            tokio::time::sleep(START_LOOK).await;
        }
    }

    /// Returns the messages to search at this moment for the holder of these keys.
    pub(crate) fn space(&self, keyring: &Keyring) -> SearchScope {
        let member = |member: &ScopeMember| {
            let whole = match keyring.get(&member.base) {
                Some(unlocked) => member.logspace.snapshot_for(unlocked),
                None => member.logspace.snapshot(),
            };
            let snapshot = match &member.boundary {
                Some(boundary) => Arc::new(boundary.apply(&whole)),
                None => whole,
            };
            SearchedLogspace { name: member.shown.clone(), snapshot, is_bounded: member.boundary.is_some() }
        };
        SearchScope { members: self.members.iter().map(member).collect() }
    }
}
