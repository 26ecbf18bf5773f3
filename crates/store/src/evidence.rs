//! Evidence: what was stored when, so that nobody can change it unseen.
//!
//! In: messages, the contents of sealed files. Out: a Merkle root per segment, signed records that name each other,
//! proofs that a message was among those sealed. Described in `docs/format/evidence.md`.
//! Holds: the signing key. Limits: SHA-256 throughout; the algorithm stands in every record.

mod chain;
mod digest;
pub(crate) mod merkle;
mod record;
mod sign;
mod stamp;

pub use chain::{CHAIN_NAME, Chain, ChainDamage, EVIDENCE_DIR};
pub use digest::{Digest, hex, unhex};
pub use merkle::root_of;
pub use record::{Event, Facts, LedgerHead, Record};
pub use sign::{KeyError, PublicKey, SigningKey};
pub use stamp::{Stamp, StampError, StampRequest, StampRoots, StampRootsError};

#[cfg(test)]
mod tests;
