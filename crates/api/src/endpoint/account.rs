//! Calls about the user: log-in and log-out, API tokens.
//!
//! In: names, passwords. Out: sessions and tokens. Holds nothing.

pub(crate) mod session;
pub(crate) mod tokens;
