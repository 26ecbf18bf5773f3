//! The path of a request to its endpoint: connection, host, client, user, body.
//!
//! In: connections. Out: requests that may be answered. Holds: open connections.

pub(crate) mod bearer;
pub(crate) mod client;
pub(crate) mod connection;
pub(crate) mod extract;
pub(crate) mod guard;
pub(crate) mod host;
pub(crate) mod security;
pub(crate) mod token_calls;
