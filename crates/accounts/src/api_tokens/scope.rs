//! The scopes of API tokens: the calls that a token may be used for.
//!
//! In: names. Out: scopes. Holds nothing. A scope gives no right by itself: what its owner may not do, no token may.

use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// A group of calls.
#[derive(Serialize, Deserialize, ToSchema, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TokenScope {
    /// Search, read and follow messages.
    #[serde(rename = "search")]
    Search,
    /// Export messages and make evidence packages.
    #[serde(rename = "export")]
    Export,
    /// Use the right `administer`: seal, and the reasons in the health of the server. With a scope of objects also
    /// those of other users.
    #[serde(rename = "administer")]
    Administer,
    /// Read the figures at `/metrics`, which also needs the right `administer` for every logspace.
    #[serde(rename = "metrics")]
    Metrics,
    /// Read saved objects.
    #[serde(rename = "objects:read")]
    ReadObjects,
    /// Make, change, share and delete saved objects.
    #[serde(rename = "objects:write")]
    WriteObjects,
    /// Read alerts and the state of rules.
    #[serde(rename = "alerts:read")]
    ReadAlerts,
    /// Acknowledge alerts.
    #[serde(rename = "alerts:write")]
    WriteAlerts,
}

/// All scopes, in their order.
pub const TOKEN_SCOPES: [TokenScope; 8] = [
    TokenScope::Search,
    TokenScope::Export,
    TokenScope::Administer,
    TokenScope::Metrics,
    TokenScope::ReadObjects,
    TokenScope::WriteObjects,
    TokenScope::ReadAlerts,
    TokenScope::WriteAlerts,
];

impl TokenScope {
    /// Its name, as it is written in requests and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            TokenScope::Search => "search",
            TokenScope::Export => "export",
            TokenScope::Administer => "administer",
            TokenScope::Metrics => "metrics",
            TokenScope::ReadObjects => "objects:read",
            TokenScope::WriteObjects => "objects:write",
            TokenScope::ReadAlerts => "alerts:read",
            TokenScope::WriteAlerts => "alerts:write",
        }
    }

    /// Returns the scope with a name.
    pub fn parse(name: &str) -> Option<TokenScope> {
        TOKEN_SCOPES.into_iter().find(|scope| scope.name() == name)
    }
}

impl fmt::Display for TokenScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
