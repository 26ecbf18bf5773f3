//! API tokens of calls, and when each was used last.
//!
//! In: the text of a token, the address of the client. Out: its owner and its record, or a refusal. Holds nothing of its own.

use super::{State, now_s};
use accounts::{
    AccountError, ApiToken, TokenRefusal, TokenText, TokenUse, TokenUses, TokenUsesError, UserFacts,
};
use std::{
    io,
    net::IpAddr,
    path::Path,
    sync::{Arc, MutexGuard, PoisonError},
};

/// A token that was looked up: its owner, its record, and the reason why it is refused.
pub(crate) type FoundToken = (String, ApiToken, Result<(), TokenRefusal>);

impl State {
    /// Keeps the last uses of tokens in a file, beginning with those that it has; fails when they cannot be read.
    pub fn keep_token_uses(&self, path: &Path) -> Result<(), TokenUsesError> {
        *self.token_uses_file.lock().unwrap_or_else(PoisonError::into_inner) = Some(path.to_owned());
        *self.token_uses() = TokenUses::load(path)?;
        Ok(())
    }

    /// Looks up a token for a client; nothing when there is no such token.
    pub(crate) fn token(&self, text: &TokenText, client: IpAddr) -> Result<Option<FoundToken>, AccountError> {
        let Some((owner, token)) = self.accounts().token(&text.hash())? else { return Ok(None) };
        let checked = token.check(self.backend().policy().token_lifetime, now_s(), client);
        Ok(Some((owner, token, checked)))
    }

    /// Notes that a token was used.
    pub(crate) fn token_used(self: &Arc<Self>, id: &str, client: IpAddr) {
        if self.token_uses().record(id, client, now_s()) {
            let state = Arc::clone(self);
            // Without it the last uses are older than they should be after a restart, which does no harm.
            tokio::task::spawn_blocking(move || state.write_token_uses());
        }
    }

    /// Notes that a user logged in, or out.
    pub(crate) fn user_seen(self: &Arc<Self>, name: &str, client: IpAddr) {
        self.token_used(&TokenUses::of_user(name), client);
    }

    /// Returns when a user was seen last, in seconds since 1970: a log-in, or the use of a token; nothing before the first.
    pub(crate) fn last_seen_s(&self, facts: &UserFacts) -> Option<u64> {
        let uses = self.token_uses();
        let login = TokenUses::of_user(&facts.name);
        let ids = facts.token_ids.iter().chain(std::iter::once(&login));
        ids.filter_map(|id| uses.last(id)).map(|used| used.at_s).max()
    }

    /// The last use of a token.
    pub(crate) fn last_use(&self, id: &str) -> Option<TokenUse> {
        self.token_uses().last(id)
    }

    fn write_token_uses(&self) -> io::Result<()> {
        let path = self.token_uses_file.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = path.as_deref() else { return Ok(()) };
        let mut ids = self.accounts().token_ids().map_err(io::Error::other)?;
        let names = self.accounts().names().map_err(io::Error::other)?;
        ids.extend(names.iter().map(|name| TokenUses::of_user(name)));
        let bytes = self.token_uses().encode(|id| ids.contains(id))?;
        TokenUses::save(path, &bytes)
    }

    fn token_uses(&self) -> MutexGuard<'_, TokenUses> {
        self.token_uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
