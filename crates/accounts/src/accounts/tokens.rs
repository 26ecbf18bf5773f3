//! The API tokens of users, which are kept with them in the file of users.
//!
//! In: records of tokens; hashes of texts. Out: the owner and the record. Holds nothing.
//! Limits: [`TOKENS_MAX`] tokens per user.

use super::{AccountError, Accounts, EVERY_LOGSPACE, Right, allowed_name};
use crate::api_tokens::{ApiToken, TokenError, TokenScope, hex};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use std::collections::HashSet;

/// Most tokens of one user.
const TOKENS_MAX: usize = 100;

impl Accounts {
    /// Keeps a token of a user.
    pub fn add_token(&self, user: &str, token: ApiToken) -> Result<(), AccountError> {
        let allowed = |name: &String| name == EVERY_LOGSPACE || allowed_name(name);
        if !token.logspaces.iter().all(allowed) {
            return Err(AccountError::Token(TokenError::Logspaces));
        }
        self.update(|file| {
            let tokens = &mut file.user(user)?.tokens;
            if tokens.len() >= TOKENS_MAX {
                return Err(AccountError::Token(TokenError::TooMany { most: TOKENS_MAX }));
            }
            tokens.push(token);
            Ok(())
        })
    }

    /// Returns the tokens of a user, the oldest first.
    pub fn tokens(&self, user: &str) -> Result<Vec<ApiToken>, AccountError> {
        Ok(self.read()?.known_user(user)?.tokens.clone())
    }

    /// Returns the user who has a token of an id.
    pub fn token_owner(&self, id: &str) -> Result<Option<String>, AccountError> {
        let file = self.known()?;
        let owner = file.users.iter().find(|(_, user)| user.tokens.iter().any(|token| token.id == id));
        Ok(owner.map(|(name, _)| name.clone()))
    }

    /// Removes a token of a user: the next call with it is refused.
    pub fn revoke_token(&self, user: &str, id: &str) -> Result<(), AccountError> {
        self.update(|file| {
            let tokens = &mut file.user(user)?.tokens;
            let at = tokens.iter().position(|token| token.id == id);
            tokens.remove(at.ok_or(AccountError::Token(TokenError::Unknown))?);
            Ok(())
        })
    }

    /// Returns the owner and the record of the token whose text has this SHA-256.
    pub fn token(&self, sha256: &[u8; 32]) -> Result<Option<(String, ApiToken)>, AccountError> {
        let file = self.known()?;
        let sha256 = hex(sha256);
        let Some((name, user)) = file
            .token_owners
            .get(&sha256)
            .and_then(|name| file.users.get_key_value(name))
            .filter(|(_, user)| user.can_log_in())
        else {
            return Ok(None);
        };
        let is_this =
            |token: &&ApiToken| verify_slices_are_equal(token.sha256.as_bytes(), sha256.as_bytes()).is_ok();
        Ok(user.tokens.iter().find(is_this).map(|token| (name.clone(), token.clone())))
    }

    /// Returns true if a user still has a token.
    pub fn has_token(&self, user: &str, id: &str) -> Result<bool, AccountError> {
        let file = self.known()?;
        Ok(file
            .users
            .get(user)
            .is_some_and(|user| user.can_log_in() && user.tokens.iter().any(|token| token.id == id)))
    }

    /// Returns the ids of all tokens.
    pub fn token_ids(&self) -> Result<HashSet<String>, AccountError> {
        let file = self.known()?;
        Ok(file.users.values().flat_map(|user| &user.tokens).map(|token| token.id.clone()).collect())
    }
}

impl ApiToken {
    /// Returns true if the token leaves its owner a right in a logspace. Every token leaves the right to search: which calls
    /// it may be used for is checked before.
    pub fn permits(&self, logspace: &str, right: Right) -> bool {
        let reaches = self.logspaces.iter().any(|name| name == EVERY_LOGSPACE || name == logspace);
        let scope = match right {
            Right::Search => None,
            Right::Export => Some(TokenScope::Export),
            Right::Administer => Some(TokenScope::Administer),
        };
        reaches && scope.is_none_or(|scope| self.has(scope))
    }
}
