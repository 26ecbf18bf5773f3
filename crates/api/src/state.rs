//! What all calls share.
//!
//! In: the parts of the running server. Out: access to them, and the threads of searches.
//! Limits: [`SEARCHES_MAX`] searches, [`TAILS_MAX`] tails, [`EXPORTS_MAX`] exports at once; further ones wait or are
//! refused.

use crate::{accounts::Accounts, error::ApiError, guard::User, sessions::Sessions, workers::Workers};
use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};
use store::{LedgerEntry, Logspace};
use tokio::sync::Semaphore;

/// Searches that run at once; further ones wait for their turn. They share the cores: see `workers`.
pub const SEARCHES_MAX: usize = 8;
/// Live tails at once; further ones are refused.
pub const TAILS_MAX: usize = 256;
/// Exports at once; further ones are refused. Each may last for hours, so that they must not take the searches' turns.
pub(crate) const EXPORTS_MAX: usize = 4;

/// The running server, as the API sees it.
pub trait Backend: Send + Sync {
    /// The logspaces in the order of the configuration.
    fn logspaces(&self) -> Vec<(String, Arc<Logspace>)>;

    /// All figures as Prometheus text.
    fn metrics(&self) -> String;

    /// Writes down who asks for what, before the answer is given.
    fn note(&self, entry: &LedgerEntry) -> io::Result<()>;
}

/// What all calls share.
pub struct State {
    backend: Arc<dyn Backend>,
    accounts: Accounts,
    sessions: Mutex<Sessions>,
    host: String,
    pub(crate) searches: Workers,
    pub(crate) tails: Arc<Semaphore>,
    pub(crate) exports: Arc<Semaphore>,
}

impl State {
    /// The state of a server on the machine `host`.
    pub fn new(backend: Arc<dyn Backend>, accounts: Accounts, host: &str) -> State {
        State {
            backend,
            accounts,
            sessions: Mutex::default(),
            host: host.to_owned(),
            searches: Workers::new(),
            tails: Arc::new(Semaphore::new(TAILS_MAX)),
            exports: Arc::new(Semaphore::new(EXPORTS_MAX)),
        }
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        self.backend.as_ref()
    }

    pub(crate) fn accounts(&self) -> &Accounts {
        &self.accounts
    }

    pub(crate) fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Writes down who asks for what; without it there is no answer.
    pub(crate) async fn note(
        self: &Arc<Self>,
        user: &User,
        action: &'static str,
        logspace: Option<&str>,
        question: &str,
        details: serde_json::Value,
    ) -> Result<(), ApiError> {
        let at_us = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64);
        let entry = LedgerEntry {
            at_us,
            user: user.name.clone(),
            action,
            logspace: logspace.map_or_else(|| self.only_name(), str::to_owned),
            question: question.to_owned(),
            details,
        };
        let state = Arc::clone(self);
        let noted = tokio::task::spawn_blocking(move || state.backend.note(&entry)).await;
        match noted {
            Ok(Ok(())) => Ok(()),
            _ => Err(ApiError::internal("the ledger of searches cannot be written: nothing is shown")),
        }
    }

    fn only_name(&self) -> String {
        self.backend.logspaces().into_iter().next().map(|(name, _)| name).unwrap_or_default()
    }

    /// A logspace by name; the only one when no name is given.
    pub(crate) fn logspace(&self, name: Option<&str>) -> Result<Arc<Logspace>, ApiError> {
        let all = self.backend.logspaces();
        let found = match name {
            Some(name) => all.into_iter().find(|(known, _)| known == name),
            None if all.len() > 1 => {
                let names: Vec<String> = all.into_iter().map(|(name, _)| name).collect();
                return Err(ApiError::bad_request(format!(
                    "say which logspace: one of {}",
                    names.join(", ")
                )));
            }
            None => all.into_iter().next(),
        };
        let missing = || match name {
            Some(name) => ApiError::not_found(format!("there is no logspace {name:?}")),
            None => ApiError::not_found("the configuration has no logspace() destination"),
        };
        found.map(|(_, logspace)| logspace).ok_or_else(missing)
    }
}
