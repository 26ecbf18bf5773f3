//! Requests and answers of `/tokens`.
//!
//! In: JSON. Out: JSON. Limits: unknown members of a request are refused, so that a misspelt one is noticed.

use accounts::{ApiToken, Network, TOKEN_DAYS_DEFAULT, TokenScope, TokenUse};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use utoipa::ToSchema;

const SECOND_US: u64 = 1_000_000;

/// A token to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    /// Its purpose.
    pub name: String,
    /// The calls that it may be used for.
    pub scopes: Vec<TokenScope>,
    /// The logspaces that it reaches, as far as its owner's grants do; `*`, the default, means all of them.
    #[serde(default = "every_logspace")]
    pub logspaces: Vec<String>,
    /// Addresses and networks that it may be used from; all if left out.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    pub networks: Vec<Network>,
    /// Days until it expires; 90 if left out.
    #[serde(default = "days")]
    pub days: u32,
    /// The password of the user, once more.
    pub password: String,
}

fn every_logspace() -> Vec<String> {
    vec!["*".to_owned()]
}

fn days() -> u32 {
    TOKEN_DAYS_DEFAULT
}

/// A token, without its text.
#[derive(Serialize, ToSchema)]
pub struct TokenAnswer {
    /// Its id.
    pub id: String,
    /// Its purpose.
    pub name: String,
    /// The last four characters of its text.
    pub last_four: String,
    /// The calls that it may be used for.
    pub scopes: Vec<TokenScope>,
    /// The logspaces that it reaches.
    pub logspaces: Vec<String>,
    /// Addresses and networks that it may be used from; empty: all.
    #[schema(value_type = Vec<String>)]
    pub networks: Vec<Network>,
    /// When it was made, in microseconds since 1970.
    pub created_us: u64,
    /// When it expires, in microseconds since 1970.
    pub expires_us: u64,
    /// When it was used last, in microseconds since 1970; absent when it never was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_us: Option<u64>,
    /// Address of the client that used it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_from: Option<String>,
}

/// A token that was made.
#[derive(Serialize, ToSchema)]
pub struct NewTokenAnswer {
    /// Its text, which is shown only here.
    pub token: String,
    /// The token.
    #[serde(flatten)]
    pub record: TokenAnswer,
}

/// The tokens of a user.
#[derive(Serialize, ToSchema)]
pub struct TokenList {
    /// The tokens, the oldest first.
    pub tokens: Vec<TokenAnswer>,
}

impl TokenAnswer {
    pub(crate) fn of(token: ApiToken, used: Option<TokenUse>, lifetime: Duration) -> TokenAnswer {
        TokenAnswer {
            created_us: token.created_s.saturating_mul(SECOND_US),
            expires_us: token.end_s(lifetime).saturating_mul(SECOND_US),
            used_us: used.map(|used| used.at_s.saturating_mul(SECOND_US)),
            used_from: used.map(|used| used.address.to_string()),
            id: token.id,
            name: token.name,
            last_four: token.last_four,
            scopes: token.scopes,
            logspaces: token.logspaces,
            networks: token.networks,
        }
    }
}
