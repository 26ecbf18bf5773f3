//! Algorithms that a configuration may choose: cipher suites, key exchanges, signatures.
//!
//! In: lists in the words of OpenSSL. Out: what rustls and OpenSSL are set to. Holds: the chosen names.
//! Limits: what rustls does not have is refused by its name.

mod schemes;
mod suites;

pub use schemes::Schemes;
pub use suites::{CipherSuites, KeyExchanges};

#[cfg(test)]
mod tests;
