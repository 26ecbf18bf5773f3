//! Access to the API: users with their rights, passwords, sessions, API tokens, and the options for calls.
//!
//! In: names, passwords, tokens. Out: users, or refusals. Holds: the users file, sessions, counters of failures.

pub(crate) mod accounts;
pub(crate) mod api_tokens;
pub(crate) mod credentials;
pub(crate) mod durable;
pub(crate) mod policy;
pub(crate) mod security_event;
pub(crate) mod sessions;
pub(crate) mod throttle;
