//! The greeting of a server, who we are, and why we are refused.
//!
//! In: JSON, words of an error; values that were checked when the configuration was read. Out: the limits of a server, the line
//! of a login, the kind of an error. Holds: nothing that runs. Limits: none.

use crate::{endpoint::Breach, tls::SenderTls};
use serde_json::{Value, json};
use std::fmt;

/// Longest text of a server that does not say how long one may be: NATS's own default.
const TEXT_BYTES: usize = 1 << 20;

/// The login.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NatsLogin {
    /// `username()`
    pub user: Option<String>,
    /// `password()`
    pub password: Option<String>,
    /// `token()`
    pub token: Option<String>,
}

/// The reason why a server and a configuration do not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnfitServer {
    /// It does not encrypt, and the configuration does.
    WithoutTls,
    /// It encrypts, and the configuration does not.
    WantsTls,
    /// It does not know headers.
    TooOld,
}

impl fmt::Display for UnfitServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnfitServer::WithoutTls => "the server does not speak TLS, and there is tls()",
            UnfitServer::WantsTls => "the server wants TLS: set tls()",
            UnfitServer::TooOld => "the server is older than NATS 2.2",
        })
    }
}

/// The words of a server about itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Greeting {
    says: Value,
}

impl Greeting {
    /// Reads the JSON of a greeting.
    pub fn parse(json: &[u8]) -> Result<Greeting, Breach> {
        let says = serde_json::from_slice(json).map_err(|_| Breach("its greeting is no JSON"))?;
        Ok(Greeting { says })
    }

    fn is(&self, name: &str) -> bool {
        self.says.get(name).and_then(Value::as_bool) == Some(true)
    }

    /// Returns the longest text that the server takes, with its head.
    pub fn text_bytes_max(&self) -> usize {
        let size = self.says.get("max_payload").and_then(Value::as_u64);
        size.and_then(|size| usize::try_from(size).ok()).unwrap_or(TEXT_BYTES)
    }

    /// Returns whether the server is about to end, and asks its clients to go elsewhere.
    pub fn is_leaving(&self) -> bool {
        self.is("ldm")
    }

    /// Returns the settings by which to encrypt the connection; `None` when it stays in the clear.
    pub fn encryption<'a>(&self, tls: Option<&'a SenderTls>) -> Result<Option<&'a SenderTls>, UnfitServer> {
        match tls {
            Some(tls) if self.is("tls_required") || self.is("tls_available") => Ok(Some(tls)),
            Some(_) => Err(UnfitServer::WithoutTls),
            None if self.is("tls_required") => Err(UnfitServer::WantsTls),
            None => Ok(None),
        }
    }

    /// Checks that the server knows headers, which came with NATS 2.2.
    pub fn check_age(&self) -> Result<(), UnfitServer> {
        if self.is("headers") { Ok(()) } else { Err(UnfitServer::TooOld) }
    }
}

/// Makes the line of a login.
pub fn connect(login: &NatsLogin) -> Vec<u8> {
    let mut options = json!({
        "verbose": false, "pedantic": false, "lang": "rust", "name": "duramen", "version": env!("CARGO_PKG_VERSION"),
        "protocol": 1, "headers": true, "no_responders": true, "echo": false,
    });
    let named = [("user", &login.user), ("pass", &login.password), ("auth_token", &login.token)];
    for (name, value) in named {
        if let Some(value) = value {
            options[name] = json!(value);
        }
    }
    format!("CONNECT {options}\r\n").into_bytes()
}

/// The kind of an error that a server says of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Complaint {
    /// It does not take the login.
    Login,
    /// It does not allow what was asked.
    Access,
    /// It has too many connections.
    Full,
    /// Another one.
    Other,
}

impl Complaint {
    /// Returns the kind of an error with these words.
    pub fn of(words: &str) -> Complaint {
        let small = words.to_ascii_lowercase();
        let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| small.starts_with(beginning));
        if begins(&[
            "authorization",
            "authentication",
            "user authentication",
            "account authentication",
            "secure connection",
        ]) {
            Complaint::Login
        } else if begins(&["permissions violation"]) {
            Complaint::Access
        } else if begins(&["maximum connections", "maximum account"]) {
            Complaint::Full
        } else {
            Complaint::Other
        }
    }
}
