//! The HTTP API, the sessions, the metrics, and the embedded page.
//!
//! In: requests on a listener. Out: answers of `query` as JSON, server-sent events of the live tail, the page.
//! Holds: sessions, counters of failed log-ins. Touches sockets, the users file and threads for searches.
//! Limits: bodies of [`BODY_BYTES_MAX`], [`SEARCHES_MAX`] searches at once, [`TAILS_MAX`] live tails, the memory and the
//! exports of [`Limits`].

mod access;
mod assets;
mod endpoint;
mod error;
mod json;
mod listen;
mod request;
mod scope;
mod search;
mod state;
#[cfg(test)]
mod tests;

pub use access::{
    policy::{Policy, ProxyHeader},
    security_event::SecurityEvent,
    sessions::SessionFileError,
};
pub use json::{
    ids::{Id, Ids},
    sessions::{EndedSessions, OpenSession, OpenSessions, PasswordRequest},
    tokens::{NewTokenAnswer, TokenAnswer, TokenList, TokenRequest},
    types::*,
};
pub use listen::{ListenOptions, Listening, listen};
pub use request::connection::{ConnectionLimits, PresentTls};
pub use scope::{Scope, ScopeKind, ScopeMember};
pub use state::{
    Backend, State, TAILS_MAX,
    limits::{EXPORTS_DEFAULT, EXPORTS_PER_USER_DEFAULT, Limits, kept_results},
    workers::SEARCHES_MAX,
};

/// Largest request body: a query has at most a few kilobytes.
pub const BODY_BYTES_MAX: usize = 1 << 20;
