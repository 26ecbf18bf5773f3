//! The token of a destination.
//!
//! In: credentials. Out: the value of the header `Authorization`. Holds: the last token and its end.
//! Limits: a token is used for an hour at most; connections that find none at the same time fetch one each.

use super::{
    issuer::{self, Token},
    jwt,
    options::CloudAuth,
};
use crate::http::{Authorization, Authorize, RequestSettings};
use delivery::failure::Failure;
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Longest use of a token: one that was revoked ends some time, too.
const USED_FOR: Duration = Duration::from_secs(3600);

/// The tokens of a destination: their origin, and the last one.
pub struct Tokens {
    auth: CloudAuth,
    /// Settings of requests to a server of tokens.
    settings: RequestSettings,
    last: Mutex<Option<(String, Instant)>>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.auth.fmt(f)
    }
}

impl Tokens {
    /// Makes one that has no token yet. The settings are those of requests for tokens.
    pub fn new(auth: CloudAuth, settings: RequestSettings) -> Tokens {
        Tokens { auth, settings, last: Mutex::new(None) }
    }

    /// The token is whole or absent, so a poisoned lock is harmless.
    fn last(&self) -> MutexGuard<'_, Option<(String, Instant)>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the value of the header, with a new token if the last one has ended.
    async fn current(&self) -> Result<String, Failure> {
        let known =
            self.last().as_ref().filter(|(_, end)| Instant::now() < *end).map(|(text, _)| text.clone());
        if let Some(text) = known {
            return Ok(text);
        }
        let Token { text, lifetime } = match &self.auth {
            CloudAuth::OAuth2(client) => issuer::by_credentials(client, &self.settings).await?,
            CloudAuth::Metadata(account) => issuer::by_metadata(account, &self.settings).await?,
            CloudAuth::ServiceAccount(account) => jwt::signed(account.clone()).await?,
        };
        let text = format!("Bearer {text}");
        *self.last() = Some((text.clone(), Instant::now() + lifetime.min(USED_FOR)));
        Ok(text)
    }
}

impl Authorize for Tokens {
    fn authorization(&self) -> Authorization<'_> {
        Box::pin(self.current())
    }

    fn forget(&self) {
        *self.last() = None;
    }
}
