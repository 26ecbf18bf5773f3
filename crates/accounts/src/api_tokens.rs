//! API tokens: what programs authenticate with instead of a password.
//!
//! In: what a token may do. Out: its text, once, and the record that is kept. Holds nothing: records are in the file of users,
//! so that a token ends with its user.
//! Limits: [`TOKEN_DAYS_MAX`] days, [`LOGSPACES_MAX`] logspaces, [`NETWORKS_MAX`] networks, names of [`NAME_CHARS_MAX`] characters.

mod scope;
mod text;
mod uses;

pub use scope::{TOKEN_SCOPES, TokenScope};
pub use text::TokenText;
pub use uses::{TokenUse, TokenUses, TokenUsesError};

use crate::network::Network;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{fmt, net::IpAddr, time::Duration};

/// Most days until an API token expires: a forgotten one is open for a year at most.
pub const TOKEN_DAYS_MAX: u32 = 366;
/// Days after which a token expires, unless something else is asked for.
pub const TOKEN_DAYS_DEFAULT: u32 = 90;
/// Most logspaces that a token names.
const LOGSPACES_MAX: usize = 100;
/// Most networks that a token may be used from.
const NETWORKS_MAX: usize = 32;
/// Most characters of the name of a token.
const NAME_CHARS_MAX: usize = 100;
const DAY_S: u64 = 86_400;
/// A token made more than this many seconds in the future must be from another clock.
const CLOCK_SLACK_S: u64 = 300;
/// Letters of an id; each stands for five bits.
const ID_ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Letters of an id: 60 bits.
const ID_LENGTH: usize = 12;

/// A token to make: its calls, its logspaces, and its time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewToken {
    /// Its purpose, as its owner says.
    pub name: String,
    /// The calls that it may be used for.
    pub scopes: Vec<TokenScope>,
    /// The logspaces that it reaches; `*` means all that its owner's grants reach.
    pub logspaces: Vec<String>,
    /// The networks that it may be used from; empty: all.
    pub networks: Vec<Network>,
    /// Days until it expires, up to [`TOKEN_DAYS_MAX`].
    pub days: u32,
}

/// The record of a token. Its text is not in it.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub struct ApiToken {
    /// Letters by which it is listed and revoked; they are no secret.
    pub id: String,
    /// Its purpose.
    pub name: String,
    /// SHA-256 of its text, in hexadecimal.
    pub sha256: String,
    /// The last four characters of its text, by which people recognize it.
    pub last_four: String,
    /// The calls that it may be used for.
    pub scopes: Vec<TokenScope>,
    /// The logspaces that it reaches, as far as its owner's grants do.
    pub logspaces: Vec<String>,
    /// The networks that it may be used from; empty: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub networks: Vec<Network>,
    /// Seconds since 1970 when it was made.
    pub created_s: u64,
    /// Seconds since 1970 when it expires.
    pub expires_s: u64,
}

/// A token that has just been made.
pub struct IssuedToken {
    /// The record, which is kept.
    pub token: ApiToken,
    /// The text, which is shown once.
    pub text: TokenText,
}

/// The reasons for which a token cannot be made or found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TokenError {
    /// The name is empty, too long, or has control characters.
    Name,
    /// No scope is named.
    NoScope,
    /// No logspace, too many, or a name that no logspace has.
    Logspaces,
    /// Too many networks.
    Networks,
    /// The number of days is 0 or too large.
    Days,
    /// The user has too many tokens.
    TooMany {
        /// Most tokens of a user.
        most: usize,
    },
    /// There is no such token.
    Unknown,
    /// The system has no random numbers.
    Random,
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenError::Name => {
                write!(
                    f,
                    "the name of a token has 1 to {NAME_CHARS_MAX} characters, and no control characters"
                )
            }
            TokenError::NoScope => {
                let names: Vec<&str> = TOKEN_SCOPES.iter().map(|scope| scope.name()).collect();
                write!(f, "a token needs a scope: {}", names.join(", "))
            }
            TokenError::Logspaces => {
                write!(f, "a token reaches 1 to {LOGSPACES_MAX} logspaces, by their names; * means every one")
            }
            TokenError::Networks => write!(f, "a token may name {NETWORKS_MAX} networks at most"),
            TokenError::Days => write!(f, "a token lasts for 1 to {TOKEN_DAYS_MAX} days"),
            TokenError::TooMany { most } => {
                write!(f, "the user has {most} tokens, which is the most: revoke one first")
            }
            TokenError::Unknown => f.write_str("there is no token of that id"),
            TokenError::Random => f.write_str("the system gives no random numbers"),
        }
    }
}

impl std::error::Error for TokenError {}

/// The reasons for which a call with a token is refused before anything else is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenRefusal {
    /// The text is none that this program makes: its form or its checksum is wrong. Nothing was looked up.
    Malformed,
    /// There is no such token, or not any more.
    Unknown,
    /// Its time is over, or it was made in the future.
    Expired,
    /// It may not be used from the address of the client.
    Network,
}

impl TokenRefusal {
    /// The reason, in fixed words.
    pub fn reason(self) -> &'static str {
        match self {
            TokenRefusal::Malformed => "this is no API token: its form or its checksum is wrong",
            TokenRefusal::Unknown => "the API token is unknown: it was revoked, or its user removed",
            TokenRefusal::Expired => "the API token has expired",
            TokenRefusal::Network => "the API token may not be used from this address",
        }
    }
}

impl NewToken {
    /// Draws a token.
    pub fn issue(self, now_s: u64) -> Result<IssuedToken, TokenError> {
        let NewToken { name, mut scopes, mut logspaces, networks, days } = self;
        let length = name.chars().count();
        if length == 0 || length > NAME_CHARS_MAX || name.chars().any(char::is_control) {
            return Err(TokenError::Name);
        }
        if scopes.is_empty() {
            return Err(TokenError::NoScope);
        }
        if logspaces.is_empty() || logspaces.len() > LOGSPACES_MAX {
            return Err(TokenError::Logspaces);
        }
        if networks.len() > NETWORKS_MAX {
            return Err(TokenError::Networks);
        }
        if days == 0 || days > TOKEN_DAYS_MAX {
            return Err(TokenError::Days);
        }
        scopes.sort_unstable();
        scopes.dedup();
        logspaces.sort_unstable();
        logspaces.dedup();
        let text = TokenText::draw().map_err(|_| TokenError::Random)?;
        let token = ApiToken {
            id: drawn_id()?,
            name,
            sha256: hex(&text.hash()),
            last_four: text.last_four().to_owned(),
            scopes,
            logspaces,
            networks,
            created_s: now_s,
            expires_s: now_s.saturating_add(u64::from(days) * DAY_S),
        };
        Ok(IssuedToken { token, text })
    }
}

impl ApiToken {
    /// Seconds since 1970 when the token expires on a server where tokens last for `lifetime` at most.
    pub fn end_s(&self, lifetime: Duration) -> u64 {
        self.expires_s.min(self.created_s.saturating_add(lifetime.as_secs()))
    }

    /// Describes the token for the ledger, without its text.
    pub fn described(&self, owner: &str) -> Value {
        json!({
            "user": owner,
            "token_id": self.id,
            "name": self.name,
            "scopes": self.scopes,
            "logspaces": self.logspaces,
            "networks": self.networks,
            "expires_s": self.expires_s,
        })
    }

    /// Checks the time and the client of a call.
    pub fn check(&self, lifetime: Duration, now_s: u64, client: IpAddr) -> Result<(), TokenRefusal> {
        if !self.is_in_force(lifetime, now_s) {
            return Err(TokenRefusal::Expired);
        }
        let is_allowed =
            self.networks.is_empty() || self.networks.iter().any(|network| network.contains(client));
        if is_allowed { Ok(()) } else { Err(TokenRefusal::Network) }
    }

    /// Returns true while the token has not expired.
    pub fn is_in_force(&self, lifetime: Duration, now_s: u64) -> bool {
        self.created_s <= now_s.saturating_add(CLOCK_SLACK_S) && now_s < self.end_s(lifetime)
    }

    /// Returns true if the token may be used for calls of a scope.
    pub fn has(&self, scope: TokenScope) -> bool {
        self.scopes.contains(&scope)
    }
}

/// Writes bytes in hexadecimal, in small letters.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Reads 32 bytes in hexadecimal.
pub fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    for (number, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * number..2 * number + 2)?, 16).ok()?;
    }
    Some(bytes)
}

fn drawn_id() -> Result<String, TokenError> {
    let mut bytes = [0; ID_LENGTH];
    getrandom::fill(&mut bytes).map_err(|_| TokenError::Random)?;
    Ok(bytes.iter().map(|byte| char::from(ID_ALPHABET[usize::from(byte % 32)])).collect())
}

#[cfg(test)]
mod tests;
