//! A fast hash of short byte strings, keyed so that senders cannot choose slots.
//!
//! In: bytes. Out: 64 bits, and the first sixteen bytes as numbers. Holds: a key generated once per process.
//! Limits: not for files: the key changes.

use std::{
    hash::{BuildHasher, RandomState},
    sync::OnceLock,
};

const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// The process's key.
#[derive(Clone, Copy, Debug)]
pub struct Seed(u64, u64);

/// Hash of a byte string, and its first bytes for comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hash {
    /// The hash.
    pub bits: u64,
    /// The first eight bytes, zero-padded.
    pub first: u64,
    /// The next eight.
    pub next: u64,
}

/// Strings up to this length are identified by length, `first` and `next`.
pub const SHORT_BYTES: usize = 16;

/// Masks of `first` and `next` for each length of a short string.
const KEPT: [(u64, u64); SHORT_BYTES + 1] = {
    let mut kept = [(0, 0); SHORT_BYTES + 1];
    let mut bytes = 1;
    while bytes <= SHORT_BYTES {
        let (first, next) = kept[bytes - 1];
        kept[bytes] = if bytes <= 8 { (first << 8 | 0xff, 0) } else { (first, next << 8 | 0xff) };
        bytes += 1;
    }
    kept
};

impl Seed {
    /// The key of this process.
    #[inline]
    pub fn of_process() -> Seed {
        static SEED: OnceLock<Seed> = OnceLock::new();
        *SEED.get_or_init(|| {
            let state = RandomState::new();
            Seed(state.hash_one(1u8) | 1, state.hash_one(2u8) | 1)
        })
    }

    /// Hash of `length` bytes at `start`; sixteen bytes after them must be readable.
    #[inline(always)]
    pub fn hash_padded(self, bytes: &[u8], start: usize, length: usize) -> Hash {
        let (first, next) = (read_u64(bytes, start), read_u64(bytes, start + 8));
        match KEPT.get(length) {
            // Nearly all tokens take the same branch, which the processor predicts.
            Some((of_first, of_next)) => self.hash_short(first & of_first, next & of_next, length),
            None => self.long(&bytes[start..start + length], first, next),
        }
    }

    /// Hash of bytes without padding after them.
    #[inline]
    pub fn hash(self, bytes: &[u8]) -> Hash {
        if bytes.len() > SHORT_BYTES {
            return self.long(bytes, read_u64(bytes, 0), read_u64(bytes, 8));
        }
        let mut both = [0; SHORT_BYTES];
        both[..bytes.len()].copy_from_slice(bytes);
        self.hash_short(read_u64(&both, 0), read_u64(&both, 8), bytes.len())
    }

    /// Hash of a short string given as numbers.
    #[inline(always)]
    pub fn hash_short(self, first: u64, next: u64, length: usize) -> Hash {
        let bits = fold(first ^ self.0, next.rotate_left(32) ^ self.1 ^ length as u64);
        Hash { bits, first, next }
    }

    /// Hash of a sequence of small numbers.
    #[inline]
    pub fn hash_numbers(self, numbers: &[u16]) -> u64 {
        let pack = |numbers: &[u16]| {
            numbers.iter().rev().fold(0u64, |packed, number| packed << 16 | u64::from(*number))
        };
        let mut fours = numbers.chunks_exact(4);
        let start = self.0 ^ numbers.len() as u64;
        let bits = fours.by_ref().fold(start, |bits, four| fold(bits ^ pack(four), self.1));
        fold(bits ^ pack(fours.remainder()) ^ self.1, self.0 ^ MIX)
    }

    #[inline(never)]
    fn long(self, bytes: &[u8], first: u64, next: u64) -> Hash {
        let mut bits = fold(first ^ self.0, next ^ self.1 ^ bytes.len() as u64);
        let mut at = SHORT_BYTES;
        while at + 8 < bytes.len() {
            bits = fold(bits ^ read_u64(bytes, at), self.1);
            at += 8;
        }
        Hash { bits: fold(bits ^ read_u64(bytes, bytes.len() - 8), self.0 ^ MIX), first, next }
    }
}

#[inline]
fn read_u64(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}
