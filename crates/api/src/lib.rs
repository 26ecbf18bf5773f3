//! The HTTP API, the sessions, the metrics, and the embedded page.
//!
//! In: requests on a listener. Out: answers of `query` as JSON, server-sent events of the live tail, the page.
//! Holds: sessions, counters of failed log-ins. Touches sockets, the users file and threads for searches.
//! Limits: bodies of [`BODY_BYTES_MAX`], [`SEARCHES_MAX`] searches at once, [`TAILS_MAX`] live tails, the memory and the
//! exports of [`Limits`].

mod accounts;
mod answer;
mod assets;
mod client;
mod connection;
mod credentials;
mod durable;
mod endpoint;
mod error;
mod extract;
mod give_back;
mod guard;
mod host;
mod ids;
mod limits;
mod listen;
mod packages;
mod policy;
mod reports;
mod rows;
mod scope;
mod searching;
mod security;
mod security_event;
mod sessions;
mod slots;
mod state;
#[cfg(test)]
mod tests;
mod throttle;
mod transfer;
mod types;
mod workers;

pub use accounts::{AccountError, Accounts, EVERY_LOGSPACE, Grant, RIGHTS, Right, generated_password};
pub use connection::{ConnectionLimits, PresentTls};
pub use ids::{Id, Ids};
pub use limits::{EXPORTS_DEFAULT, EXPORTS_PER_USER_DEFAULT, Limits};
pub use listen::{Listening, Place, listen};
pub use policy::{Network, NetworkError, Policy, ProxyHeader};
pub use scope::{Scope, ScopeKind, ScopeMember};
pub use security_event::SecurityEvent;
pub use sessions::SessionFileError;
pub use state::{Backend, State, TAILS_MAX};
pub use types::*;
pub use workers::SEARCHES_MAX;

/// Largest request body: a query has at most a few kilobytes.
pub const BODY_BYTES_MAX: usize = 1 << 20;
