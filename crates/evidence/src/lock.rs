//! Locks: sealing a segment needs only a public key; opening it needs the private one.
//!
//! In: recipients (certificates, public keys, `age1...`), identities (private keys, `AGE-SECRET-KEY-...`). Out: a
//! segment's key: generated and wrapped for every recipient, or unwrapped. Described in `docs/format/segment.md`.
//! Holds: keys in memory. Limits: AES-256-GCM for chunks; RSA-OAEP or HPKE (RFC 9180) for wrapping; the algorithm
//! is named with each wrapped key.

mod bech32;
mod identity;
mod key;
mod recipient;

pub use identity::{Identity, IdentityError, Keys};
pub use key::{Lock, SegmentKey, TAG_BYTES};
pub use recipient::{KEY_BYTES, Recipient, RecipientError};

#[cfg(test)]
mod tests;
