//! Rights that an object of the kind `rule` needs: its writer and its owner may search what it watches.
//!
//! In: a content, a user. Out: a refusal, or not. Holds nothing. A rule that is switched off needs none.

use crate::{
    access::{accounts::Right, sessions::User},
    error::ApiError,
    state::State,
};
use axum::http::StatusCode;
use objects::{Content, ObjectId};

/// Refuses a rule over a logspace that its writer may not search, or that rules cannot watch.
pub(super) fn may_write(state: &State, user: &User, content: &Content) -> Result<(), ApiError> {
    for logspace in watched(content) {
        let scope = state.scope(user, Some(&logspace), Right::Search).map_err(|error| {
            let (status, answer) = error.into_parts();
            let text = format!("spec.logspace: there is no logspace {logspace:?} that you may search");
            match status {
                StatusCode::NOT_FOUND => ApiError::bad_request(text),
                _ => ApiError::new(status, answer.code, answer.message),
            }
        })?;
        scope.watchable()?;
    }
    Ok(())
}

/// Refuses an owner who may not search what the rule watches.
pub(super) fn may_own(state: &State, owner: &str, content: &Content) -> Result<(), ApiError> {
    for logspace in watched(content) {
        let may = state.accounts().may(owner, &logspace, Right::Search);
        if !may.map_err(|error| ApiError::internal(error.to_string()))? {
            let text =
                format!("{owner} may not search {logspace}, which the rule watches with its owner's rights");
            return Err(ApiError::bad_request(text));
        }
    }
    Ok(())
}

/// Returns the logspaces of a rule that is switched on; none for other objects.
fn watched(content: &Content) -> Vec<String> {
    // The rule of an object has its id, which does not matter here.
    let kept = "rule".parse::<ObjectId>().ok().and_then(|id| content.rule(&id));
    kept.filter(|kept| kept.is_enabled).map(|kept| kept.rule.logspaces.clone()).unwrap_or_default()
}
