//! Checks whether a request may send.
//!
//! In: the headers of a request. Out: yes, no, or no credentials. Holds: nothing.
//! Limits: every secret is compared completely, in a time that does not reveal how much of it was right.

use crate::options::HttpOptions;
use base64::{Engine, engine::general_purpose::STANDARD};
use hyper::{HeaderMap, header::AUTHORIZATION};
use subtle::{Choice, ConstantTimeEq};

/// Verdict on the credentials in the headers of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    /// It may.
    Allowed,
    /// It showed wrong credentials.
    Refused,
    /// It showed nothing.
    Unknown,
}

/// Looks at the headers.
pub(super) fn check(headers: &HeaderMap, options: &HttpOptions) -> Standing {
    if options.tokens.is_empty() && options.users.is_empty() {
        return Standing::Allowed;
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let allowed = match header(AUTHORIZATION.as_str()) {
        Some(value) => authorization(value, options),
        None => match header("x-api-key") {
            Some(key) => is_token(key, options),
            None => return Standing::Unknown,
        },
    };
    if allowed { Standing::Allowed } else { Standing::Refused }
}

fn authorization(value: &str, options: &HttpOptions) -> bool {
    let (scheme, rest) = value.split_once(' ').unwrap_or(("", value));
    let rest = rest.trim();
    if !scheme.eq_ignore_ascii_case("basic") {
        return is_token(rest, options) || (scheme.eq_ignore_ascii_case("apikey") && is_pair(rest, options));
    }
    is_pair(rest, options)
}

/// `NAME:PASSWORD` in base64, of a user or with a token as the password.
fn is_pair(encoded: &str, options: &HttpOptions) -> bool {
    let decoded = STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let Some(decoded) = decoded else { return false };
    let Some((name, password)) = decoded.split_once(':') else { return false };
    let users = options
        .users
        .iter()
        .fold(Choice::from(0), |found, (user, secret)| found | (same(user, name) & same(secret, password)));
    bool::from(users) || is_token(password, options)
}

fn is_token(shown: &str, options: &HttpOptions) -> bool {
    options.tokens.iter().fold(Choice::from(0), |found, token| found | same(token, shown)).into()
}

fn same(one: &str, other: &str) -> Choice {
    one.as_bytes().ct_eq(other.as_bytes())
}

#[cfg(test)]
mod tests;
