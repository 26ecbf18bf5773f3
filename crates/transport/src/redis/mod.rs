//! The protocol of Redis, Valkey and others that speak RESP.
//!
//! In: arguments; bytes of replies. Out: the bytes of a command; what a reply says. Holds: nothing. Limits: see each.
//!
//! | module | what it does |
//! |---|---|
//! | `resp` | commands and replies as bytes |

mod resp;

pub use resp::{REPLY_BYTES_MAX, Reply, decode, encode};

#[cfg(test)]
mod tests;
