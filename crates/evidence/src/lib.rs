//! Evidence: proves that messages are those that were received, and keeps them secret.
//!
//! In: messages' bytes, segments' facts, keys, folders of packages. Out: digests and trees, signed records in a chain,
//! parsed time-stamps, wrapped and unwrapped keys, entries of the ledger, verified packages.
//! Holds: the records of a chain, keys in memory. Knows no segment and no logspace; touches the files of keys, ledgers
//! and packages only.
//! Limits: reading is total: bytes that are not evidence are reported and never make it fail.
//!
//! Modules in reading order, the lowest last:
//! - [`package`]: verifies an evidence package from its files alone; its format, for the writer.
//! - `ledger`: a record of who did what, in a file of chained lines with a signed head.
//! - `chain`: the records of a logspace, each naming the previous one.
//! - `record`: a signed record of what happened to a segment.
//! - `stamp`: an RFC 3161 authority's statement of when a record existed.
//! - `sign`: keys that sign and verify.
//! - `lock`: a segment's key: generated, wrapped for recipients, unwrapped with identities.
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
