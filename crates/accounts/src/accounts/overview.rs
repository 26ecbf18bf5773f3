//! The users as an administrator sees them.
//!
//! In: the file of users. Out: facts about each user. Holds nothing.

use super::{AccountError, Accounts, Grant, SourcedGrant, User};
use serde::Serialize;
use utoipa::ToSchema;

/// The facts about a user that administrators see, as the HTTP API has them.
#[derive(Serialize, ToSchema, Clone, PartialEq, Eq, Debug)]
pub struct UserFacts {
    /// Name.
    pub name: String,
    /// The user's own grants.
    pub grants: Vec<Grant>,
    /// Names of the roles.
    pub roles: Vec<String>,
    /// The own grants and those of roles, each with where it comes from.
    pub effective: Vec<SourcedGrant>,
    /// True if the user may not log in at present.
    pub locked: bool,
    /// True once a password was set, and for somebody whose password is kept in a directory.
    pub has_password: bool,
    /// True if there is a second factor.
    pub has_factor: bool,
    /// Ids of the API tokens, which others need not know.
    #[serde(skip)]
    pub token_ids: Vec<String>,
    /// When the invitation ends that was not used, in microseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invited_until_us: Option<u64>,
}

impl Accounts {
    /// Lists all users, in the order of their names.
    pub fn overview(&self) -> Result<Vec<UserFacts>, AccountError> {
        let file = self.known()?;
        let facts = |(name, user): (&String, &User)| UserFacts {
            name: name.clone(),
            grants: user.grants(),
            roles: user.roles.clone(),
            effective: file.sourced_grants(user),
            locked: user.locked,
            has_password: user.directory.is_some() || !user.password.is_empty(),
            has_factor: user.factor.is_some(),
            token_ids: user.tokens.iter().map(|token| token.id.clone()).collect(),
            invited_until_us: user
                .invitation
                .as_ref()
                .map(|invitation| invitation.expires_s.saturating_mul(1_000_000)),
        };
        Ok(file.users.iter().map(facts).collect())
    }
}
