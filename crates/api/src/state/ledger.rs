//! Writes what users ask for into the ledger, before it is done.
//!
//! In: a user, an action, its details. Out: an error if it cannot be written, and then nothing may be shown or changed. Holds
//! nothing.

use super::State;
use crate::{access::sessions::User, error::ApiError, scope::Scope};
use evidence::LedgerEntry;
use serde_json::Value;
use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

impl State {
    /// Records a request in the ledger; without that there is no answer.
    pub(crate) async fn note(
        self: &Arc<Self>,
        user: &User,
        action: &'static str,
        scope: &Scope,
        question: &str,
        details: Value,
    ) -> Result<(), ApiError> {
        let entry = LedgerEntry {
            at_us: now_us(),
            user: user.name.clone(),
            action,
            logspace: scope.name.clone(),
            question: question.to_owned(),
            details: with_token(user, details),
        };
        let failed = "the ledger of searches cannot be written: nothing is shown";
        self.write(entry).await.map_err(|_| ApiError::internal(failed))
    }

    /// Records a change of an account in the ledger; without that it is not made.
    pub(crate) async fn note_change(
        self: &Arc<Self>,
        user: &User,
        action: &'static str,
        details: Value,
    ) -> Result<(), ApiError> {
        let (user, details) = (user.name.clone(), with_token(user, details));
        let entry = LedgerEntry {
            at_us: now_us(),
            user,
            action,
            logspace: String::new(),
            question: String::new(),
            details,
        };
        let failed = "the ledger cannot be written: nothing was changed";
        self.write(entry).await.map_err(|_| ApiError::internal(failed))
    }

    async fn write(self: &Arc<Self>, entry: LedgerEntry) -> std::io::Result<()> {
        let state = Arc::clone(self);
        let written = tokio::task::spawn_blocking(move || state.backend().note(&entry)).await;
        written.map_err(std::io::Error::other)?
    }
}

/// The details with the id of the API token of the call, if it has one.
fn with_token(user: &User, mut details: Value) -> Value {
    if let Some(token) = user.token() {
        details["token"] = token.id.as_str().into();
    }
    details
}

fn now_us() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_micros() as i64)
}
