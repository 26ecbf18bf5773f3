//! Requests and answers of `/users`, `/roles` and `/invitation`.
//!
//! In: JSON. Out: JSON. Limits: unknown members of a request are refused, so that a misspelt one is noticed.

use accounts::{Grant, NewInvitation, Role, UserFacts};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const SECOND_US: u64 = 1_000_000;

/// The users of the server, their roles, and the logspaces that rights can be granted in.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserList {
    /// The users, in the order of their names.
    pub(crate) users: Vec<UserAnswer>,
    /// The roles, in the order of their names.
    pub(crate) roles: Vec<Role>,
    /// Names of all logspaces, in the order of the configuration.
    pub(crate) logspaces: Vec<String>,
}

/// A user.
#[derive(Serialize, ToSchema)]
pub(crate) struct UserAnswer {
    /// The user, as the file of users has them.
    #[serde(flatten)]
    pub(crate) facts: UserFacts,
    /// Number of open sessions.
    pub(crate) sessions: usize,
    /// Number of API tokens.
    pub(crate) tokens: usize,
    /// When the user logged in, used a session that is open, or used an API token last, in microseconds since 1970; absent before that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) seen_us: Option<u64>,
}

/// A user to add.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewUserRequest {
    /// Name.
    pub(crate) name: String,
    /// The password of the caller, once more.
    pub(crate) password: String,
}

/// The changes of a user that need no more than a name.
#[derive(Deserialize, ToSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum UserAction {
    /// Locks the user out, with sessions and API tokens.
    Lock,
    /// Lets the user in again.
    Unlock,
    /// Removes the user.
    Remove,
    /// Removes the second factor.
    ResetFactor,
    /// Makes an invitation to set another password.
    Invite,
}

/// The grants and roles that a user has from now on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AccessRequest {
    /// The user's own grants.
    pub(crate) grants: Vec<Grant>,
    /// Names of the roles.
    pub(crate) roles: Vec<String>,
    /// The password of the caller, once more.
    pub(crate) password: String,
}

/// The grants that a role has from now on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoleRequest {
    /// The grants.
    pub(crate) grants: Vec<Grant>,
    /// The password of the caller, once more.
    pub(crate) password: String,
}

/// The invitation that a change has made, if it has made one.
#[derive(Serialize, ToSchema, Default)]
pub(crate) struct UserChanged {
    /// The invitation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invitation: Option<InvitationAnswer>,
}

/// An invitation, which no other call shows.
#[derive(Serialize, ToSchema)]
pub(crate) struct InvitationAnswer {
    /// Its text: the link is the address of the page with `invitation#` and this behind it.
    pub(crate) text: String,
    /// When it ends, in microseconds since 1970.
    pub(crate) expires_us: u64,
}

/// The text of an invitation.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InvitationRequest {
    /// The text.
    pub(crate) invitation: String,
}

/// An invitation that is accepted.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptRequest {
    /// The text.
    pub(crate) invitation: String,
    /// The password that the user wants.
    pub(crate) new_password: String,
}

/// The user that an invitation is for.
#[derive(Serialize, ToSchema)]
pub(crate) struct InvitedAnswer {
    /// The name.
    pub(crate) user: String,
    /// When the invitation ends, in microseconds since 1970; absent once it was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) expires_us: Option<u64>,
    /// Fewest characters of the password.
    pub(crate) password_chars_min: usize,
}

impl From<NewInvitation> for InvitationAnswer {
    fn from(new: NewInvitation) -> InvitationAnswer {
        InvitationAnswer { text: new.text, expires_us: new.expires_s.saturating_mul(SECOND_US) }
    }
}

impl InvitedAnswer {
    /// The user of an invitation that ends at this time.
    pub(crate) fn new(user: String, expires_s: Option<u64>, password_chars_min: usize) -> InvitedAnswer {
        let expires_us = expires_s.map(|expires_s| expires_s.saturating_mul(SECOND_US));
        InvitedAnswer { user, expires_us, password_chars_min }
    }
}
