//! Evidence: what proves that messages are those that were received, and what keeps them from others' eyes.
//!
//! In: messages' bytes, segments' facts, keys, folders of packages. Out: digests and trees, signed records in a chain,
//! time-stamps read, keys wrapped and unwrapped, entries of the ledger, packages verified.
//! Holds: the records of a chain, keys in memory. Knows no segment and no logspace; touches the files of keys, ledgers
//! and packages only.
//! Limits: reading is total: bytes that are no evidence are reported and never make it fail.
//!
//! In reading order, the lowest last:
//! - [`package`]: an evidence package, verified with nothing but its files; its format, for the writer of one.
//! - `ledger`: who asked for what, in a file whose lines are chained, with a signed head.
//! - `chain`: the records of a logspace, each naming the one before.
//! - `record`: what happened to a segment, signed.
//! - `stamp`: the word of an RFC 3161 authority on when a record was there.
//! - `sign`: keys that sign and verify.
//! - `lock`: a segment's key, drawn, wrapped for recipients, unwrapped with identities.
//! - [`merkle`]: the tree of hashes over a segment's messages, and proofs.
//! - `digest`: SHA-256 and hexadecimal digits.
//! - `der`: the few values of DER that keys and time-stamps are made of.
//! - `testing`: a key and records for tests.

mod chain;
mod der;
mod digest;
mod ledger;
mod lock;
pub mod merkle;
pub mod package;
mod record;
mod sign;
mod stamp;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use chain::{Chain, ChainDamage};
pub use digest::{Digest, hex, unhex};
pub use ledger::{
    Entries, Entry, HeadError, Ledger, LedgerAudit, LedgerEntry, LedgerFinding, LedgerReport, LedgerTie,
    SignedHead,
};
pub use lock::{
    Identity, IdentityError, KEY_BYTES, Keys, Lock, Recipient, RecipientError, SegmentKey, TAG_BYTES,
};
pub use merkle::root_of;
pub use record::{Event, Facts, LedgerHead, Record};
pub use sign::{KeyError, PublicKey, SigningKey};
pub use stamp::{Stamp, StampError, StampRequest, StampRoots, StampRootsError};

#[cfg(test)]
mod tests;
