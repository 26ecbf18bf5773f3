//! Numbers that nobody can guess who does not know the seed.
//!
//! In: a seed of the caller. Out: tags, TSNs, secrets: HMAC-SHA-256 of a counter under the seed. Limits: none in practice.

use hmac::{Hmac, Mac};
use sha2::Sha256;

/// A generator. Equal seeds give equal numbers, which tests need and nobody else may have.
pub(crate) struct Random {
    keyed: Hmac<Sha256>,
    count: u64,
}

impl Random {
    pub(crate) fn new(seed: [u8; 32]) -> Random {
        let keyed = Hmac::new_from_slice(&seed).expect("HMAC takes keys of any length");
        Random { keyed, count: 0 }
    }

    /// Returns the next 32 bytes.
    pub(crate) fn bytes(&mut self) -> [u8; 32] {
        self.count += 1;
        let mut keyed = self.keyed.clone();
        keyed.update(&self.count.to_be_bytes());
        keyed.finalize().into_bytes().into()
    }

    pub(crate) fn number(&mut self) -> u64 {
        let [one, two, three, four, five, six, seven, eight, ..] = self.bytes();
        u64::from_be_bytes([one, two, three, four, five, six, seven, eight])
    }

    /// Returns a number of four bytes.
    pub(crate) fn short(&mut self) -> u32 {
        let [one, two, three, four, ..] = self.bytes();
        u32::from_be_bytes([one, two, three, four])
    }

    /// Returns a tag: any number but 0.
    pub(crate) fn tag(&mut self) -> u32 {
        self.short().max(1)
    }
}
