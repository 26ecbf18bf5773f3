//! Access to the API: sessions, the check of passwords, and the options for calls.
//!
//! In: names, passwords, tokens. Out: users, or refusals. Holds: sessions, counters of failures. The users themselves, with
//! their rights, are in the crate `accounts`.

pub(crate) mod credentials;
pub(crate) mod policy;
pub(crate) mod security_event;
pub(crate) mod sessions;
pub(crate) mod throttle;

pub(crate) use ::accounts;
