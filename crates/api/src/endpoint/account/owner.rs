//! The user whose tokens or sessions a call is about: the caller, or another one for administrators; and callers who administer.
//!
//! In: a parameter, a request. Out: a refusal, or not. Holds nothing.

use crate::{
    access::sessions::User,
    error::ApiError,
    request::{client::client, connection::Caller, guard},
    state::State,
};
use accounts::{EVERY_LOGSPACE, Right};
use axum::{
    extract::{ConnectInfo, FromRequestParts},
    http::request::Parts,
};
use serde::Deserialize;
use std::{net::IpAddr, sync::Arc};
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

/// A caller who may administer every logspace.
pub(crate) struct Administrator {
    pub(super) user: User,
    /// Address of the client.
    pub(super) address: IpAddr,
}

impl Administrator {
    /// Checks the password of the caller once more, before a change of what others may do.
    pub(super) async fn confirm(&self, state: &Arc<State>, password: &str) -> Result<(), ApiError> {
        guard::confirm(state, &self.user.name, password, self.address).await
    }
}

impl FromRequestParts<Arc<State>> for Administrator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &Arc<State>) -> Result<Administrator, ApiError> {
        let user = User::from_request_parts(parts, state).await?;
        if !state.may(&user, EVERY_LOGSPACE, Right::Administer)? {
            let text = "users and roles are for users who may administer every logspace".to_owned();
            return Err(state.refuse(&user, EVERY_LOGSPACE, Right::Administer, text));
        }
        let caller = parts.extensions.get::<ConnectInfo<Caller>>();
        let peer = caller.map_or(IpAddr::from([0, 0, 0, 0]), |ConnectInfo(caller)| caller.address.ip());
        let address = client(&state.backend().policy(), peer, &parts.headers);
        Ok(Administrator { user, address })
    }
}
