//! Authenticates calls by API tokens: `Authorization: Bearer` (RFC 6750).
//!
//! In: a request's headers. Out: the owner of the token with what it leaves them, or an error. Holds nothing.
//! Limits: tokens that are not accepted are counted with the failed log-ins of their address, and answered with 429 after too
//! many. One that is accepted is never made to wait: it cannot be guessed, and others at its address must not block it.

use crate::{
    access::{
        security_event::SecurityEvent,
        sessions::{Proof, User},
    },
    error::{ApiError, ErrorCode},
    request::{
        security,
        token_calls::{self, TokenNeed},
    },
    scope::Keyring,
    state::State,
};
use accounts::{ApiToken, TokenRefusal, TokenText};
use axum::{
    extract::MatchedPath,
    http::{Extensions, HeaderMap, Method, StatusCode, header},
};
use std::{net::IpAddr, sync::Arc};

/// Returns the token that a request carries; nothing when it authenticates in another way.
pub(crate) fn text(headers: &HeaderMap) -> Option<&str> {
    let (scheme, text) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| text.trim())
}

/// Returns the user of a request with a token, if the token may be used for this call.
pub(crate) async fn user(
    state: &Arc<State>,
    (method, extensions): (&Method, &Extensions),
    text: &str,
    client: IpAddr,
) -> Result<User, ApiError> {
    let (name, token) = accepted(state, text, client).await?;
    let route = extensions.get::<MatchedPath>().map(MatchedPath::as_str);
    let missing = match token_calls::needed(method, route) {
        TokenNeed::AnyToken => None,
        TokenNeed::Scope(scope) if token.has(scope) => None,
        TokenNeed::Scope(scope) => {
            Some((scope.name(), format!("the API token {} lacks the scope {scope}", token.name)))
        }
        TokenNeed::NoToken => {
            Some(("session", "this call takes no API token: log in with the password".to_owned()))
        }
    };
    if let Some((right, text)) = missing {
        let event = SecurityEvent::Refused { user: name, logspace: String::new(), right };
        // The call is refused in any case.
        let _ = security::report(state, event).await;
        return Err(ApiError::forbidden(text));
    }
    let event = SecurityEvent::TokenUsed { user: name.clone(), token: token.id.clone(), address: client };
    security::report(state, event).await?;
    state.token_used(&token.id, client);
    Ok(User { name, proof: Proof::Token(Box::new(token)), keyring: Keyring::new() })
}

/// Looks up a token; a refusal is counted and written down.
async fn accepted(state: &Arc<State>, text: &str, client: IpAddr) -> Result<(String, ApiToken), ApiError> {
    let found = match TokenText::parse(text) {
        Some(text) => state.token(&text, client).map_err(|error| ApiError::internal(error.to_string()))?,
        None => return Err(refused(state, "", "", TokenRefusal::Malformed, client).await),
    };
    match found {
        Some((name, token, Ok(()))) => Ok((name, token)),
        Some((name, token, Err(refusal))) => Err(refused(state, &name, &token.id, refusal, client).await),
        None => Err(refused(state, "", "", TokenRefusal::Unknown, client).await),
    }
}

async fn refused(
    state: &Arc<State>,
    user: &str,
    token: &str,
    refusal: TokenRefusal,
    client: IpAddr,
) -> ApiError {
    if let Err(wait) = state.credentials().token_refused(client) {
        let event = SecurityEvent::LockedOut { user: user.to_owned(), address: client };
        let _ = security::report(state, event).await;
        return ApiError::too_many_attempts(wait);
    }
    let reason = refusal.reason();
    let (user, token) = (user.to_owned(), token.to_owned());
    let event = SecurityEvent::TokenRefused { user, token, reason, address: client };
    let _ = security::report(state, event).await;
    ApiError::new(StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized, reason)
}
