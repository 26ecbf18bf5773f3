//! Security events: log-ins, failures, lock-outs, refusals.
//!
//! In: an outcome of the guard or of an endpoint. Out: an event for the running server, which records it.
//! Holds nothing. Limits: names are as claimed; the ledger cuts them when it writes them.

use crate::{
    access::{accounts::Right, security_event::SecurityEvent, sessions::User},
    error::ApiError,
    state::State,
};
use axum::http::StatusCode;
use std::{net::IpAddr, sync::Arc};

/// Most characters of a claimed name that are recorded.
const NAME_CHARS_MAX: usize = 256;

/// Records that an attempt with a password failed. The attempt is refused even if that fails.
pub(crate) async fn failed(state: &Arc<State>, user: &str, address: IpAddr, error: &ApiError) {
    // No user has a longer name; they are cut when recorded.
    let user: String = user.chars().take(NAME_CHARS_MAX).collect();
    let event = match error.status() {
        StatusCode::UNAUTHORIZED => SecurityEvent::Failed { user, address },
        StatusCode::TOO_MANY_REQUESTS => SecurityEvent::LockedOut { user, address },
        _ => return,
    };
    let _ = report(state, event).await;
}

/// Records that a log-in could not be read. It is refused all the same.
pub(crate) async fn malformed(state: &Arc<State>, reason: &'static str, address: IpAddr) {
    let _ = report(state, SecurityEvent::Malformed { reason, address }).await;
}

/// Records that a call was meant for another host. It is refused in any case.
pub(crate) async fn wrong_host(state: &Arc<State>, host: &str, address: IpAddr) {
    let host = host.chars().take(NAME_CHARS_MAX).collect();
    let _ = report(state, SecurityEvent::WrongHost { host, address }).await;
}

/// Records an event; an error if that fails.
pub(crate) async fn report(state: &Arc<State>, event: SecurityEvent) -> Result<(), ApiError> {
    let state = Arc::clone(state);
    match tokio::task::spawn_blocking(move || state.backend().security(&event)).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(ApiError::internal("the ledger cannot be written: nobody is let in")),
    }
}

impl State {
    /// Records a refusal, and returns it as an error for the user.
    pub(crate) fn refuse(&self, user: &User, logspace: &str, right: Right, text: String) -> ApiError {
        self.refused(user, logspace, right);
        ApiError::forbidden(text)
    }

    /// Records a refusal. If that fails nothing is revealed: the call is refused in any case.
    pub(crate) fn refused(&self, user: &User, logspace: &str, right: Right) {
        let (user, logspace) = (user.name.clone(), logspace.to_owned());
        let _ = self.backend().security(&SecurityEvent::Refused { user, logspace, right: right.name() });
    }
}
