//! Calls about the user: log-in and log-out, sessions, API tokens.
//!
//! In: names, passwords. Out: sessions, tokens, users. Holds nothing.

mod change;
pub(crate) mod factor;
pub(crate) mod invitation;
mod owner;
pub(crate) mod password;
pub(crate) mod roles;
pub(crate) mod session;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod users;
