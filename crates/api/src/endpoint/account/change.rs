//! Changes of accounts: on a thread of their own, in the ledger before they are made and again if they fail.
//!
//! In: a change, its words for the ledger. Out: its outcome, or an error for the client. Holds nothing.

use crate::{
    access::sessions::User,
    error::{ApiError, ErrorCode},
    state::State,
};
use accounts::{AccountError, TokenError};
use axum::http::StatusCode;
use serde_json::Value;
use std::sync::Arc;

/// Writes a change into the ledger, and makes it; if it fails, the ledger has that as well. Without the ledger it is not made.
pub(super) async fn recorded<T: Send + 'static>(
    state: &Arc<State>,
    user: &User,
    action: &'static str,
    mut details: Value,
    change: impl FnOnce(&State) -> Result<T, AccountError> + Send + 'static,
) -> Result<T, ApiError> {
    state.note_change(user, action, details.clone()).await?;
    match on_thread(state, change).await? {
        Ok(made) => Ok(made),
        Err(error) => {
            details["failed"] = error.to_string().into();
            // If the ledger fails as well, the caller still gets the first error.
            let _ = state.note_change(user, action, details).await;
            Err(answer(error))
        }
    }
}

/// Runs work with the file of users on a thread that may wait for the disk.
pub(super) async fn on_thread<T: Send + 'static>(
    state: &Arc<State>,
    work: impl FnOnce(&State) -> T + Send + 'static,
) -> Result<T, ApiError> {
    let state = Arc::clone(state);
    let done = tokio::task::spawn_blocking(move || work(&state)).await;
    done.map_err(|_| ApiError::internal("the call ended by a bug"))
}

/// Returns the answer for a change that cannot be made.
pub(super) fn answer(error: AccountError) -> ApiError {
    let text = error.to_string();
    match error {
        AccountError::Token(TokenError::TooMany { .. }) => {
            ApiError::new(StatusCode::CONFLICT, ErrorCode::Conflict, text)
        }
        AccountError::Token(TokenError::Unknown) | AccountError::Name(_) | AccountError::UnknownRole(_) => {
            ApiError::not_found(text)
        }
        AccountError::Taken(_) => ApiError::new(StatusCode::CONFLICT, ErrorCode::Conflict, text),
        AccountError::Refused(_) => ApiError::bad_request(text),
        AccountError::Token(TokenError::Random) | AccountError::Random => ApiError::internal(text),
        AccountError::Token(_) | AccountError::Password(_) => ApiError::bad_request(text),
        AccountError::Invitation(_) => ApiError::not_found(text),
        AccountError::Code(_) => ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::WrongCode, text),
        AccountError::LastAdministrator => ApiError::new(StatusCode::CONFLICT, ErrorCode::Conflict, text),
        AccountError::OfDirectory => ApiError::new(StatusCode::CONFLICT, ErrorCode::Conflict, text),
        AccountError::NoFactor => ApiError::not_found(text),
        AccountError::FactorPresent => ApiError::new(StatusCode::CONFLICT, ErrorCode::Conflict, text),
        AccountError::FactorKey(_) => ApiError::internal(text),
        // The path is for administrators.
        AccountError::Io { .. } | AccountError::Format { .. } => {
            ApiError::internal("the file of users cannot be read or written")
        }
    }
}
