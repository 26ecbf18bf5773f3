//! The user whose tokens or sessions a call is about: the caller, or another one for administrators.
//!
//! In: a parameter. Out: a refusal, or not. Holds nothing.

use crate::{access::sessions::User, error::ApiError, state::State};
use accounts::{EVERY_LOGSPACE, Right};
use serde::Deserialize;
use utoipa::IntoParams;

/// The user whose tokens or sessions are meant.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct OwnerParameters {
    /// The user; the caller if left out. Others are for users who may administer every logspace.
    pub(super) user: Option<String>,
}

/// Refuses callers who ask about another user and do not administer every logspace.
pub(super) fn administers(state: &State, user: &User, owner: &str) -> Result<(), ApiError> {
    if owner == user.name || state.may(user, EVERY_LOGSPACE, Right::Administer)? {
        return Ok(());
    }
    let text = "tokens and sessions of others are for users who may administer every logspace".to_owned();
    Err(state.refuse(user, EVERY_LOGSPACE, Right::Administer, text))
}
