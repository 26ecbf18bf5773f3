//! Algorithms that a configuration may choose: cipher suites, key exchanges, signatures.
//!
//! In: lists in OpenSSL's syntax. Out: the settings for rustls and OpenSSL. Holds: the chosen names.
//! Limits: algorithms that rustls does not have are refused by name.

mod schemes;
mod suites;

pub use schemes::Schemes;
pub use suites::{CipherSuites, KeyExchanges};

#[cfg(test)]
mod tests;
