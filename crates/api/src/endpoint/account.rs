//! Calls about the user: log-in and log-out, sessions, API tokens.
//!
//! In: names, passwords. Out: sessions and tokens. Holds nothing.

mod change;
pub(crate) mod factor;
mod owner;
pub(crate) mod password;
pub(crate) mod session;
pub(crate) mod sessions;
pub(crate) mod tokens;
