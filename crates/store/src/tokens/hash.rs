//! A fast hash of short byte strings, keyed so that senders cannot aim at one slot.
//!
//! In: bytes. Out: 64 bits, and the first eight bytes as a number. Holds: a key drawn once a process.
//! Limits: not for files: the key changes.

use std::{
    hash::{BuildHasher, RandomState},
    sync::OnceLock,
};

const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// The process's key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seed(u64, u64);

/// Hash of a byte string and what comparing begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Hash {
    pub(crate) bits: u64,
    /// The first eight bytes, zero-padded.
    pub(crate) head: u64,
}

impl Seed {
    /// The key of this process.
    pub(crate) fn of_process() -> Seed {
        static SEED: OnceLock<Seed> = OnceLock::new();
        *SEED.get_or_init(|| {
            let state = RandomState::new();
            Seed(state.hash_one(1u8) | 1, state.hash_one(2u8) | 1)
        })
    }

    /// Hash of `length` bytes at `start`; eight bytes behind them must be readable.
    #[inline]
    pub(crate) fn hash_padded(self, bytes: &[u8], start: usize, length: usize) -> Hash {
        let head = read_u64(bytes, start);
        if length > 8 {
            return self.long(&bytes[start..start + length], head);
        }
        let head = if length == 8 { head } else { head & ((1 << (8 * length)) - 1) };
        self.short(head, length)
    }

    /// Hash of bytes with nothing behind them.
    #[inline]
    pub(crate) fn hash(self, bytes: &[u8]) -> Hash {
        if bytes.len() > 8 {
            return self.long(bytes, read_u64(bytes, 0));
        }
        let mut head = [0; 8];
        head[..bytes.len()].copy_from_slice(bytes);
        self.short(u64::from_le_bytes(head), bytes.len())
    }

    /// Hash of a sequence of small numbers.
    #[inline]
    pub(crate) fn hash_numbers(self, numbers: &[u16]) -> u64 {
        let pack = |numbers: &[u16]| {
            numbers.iter().rev().fold(0u64, |packed, number| packed << 16 | u64::from(*number))
        };
        let mut fours = numbers.chunks_exact(4);
        let start = self.0 ^ numbers.len() as u64;
        let bits = fours.by_ref().fold(start, |bits, four| fold(bits ^ pack(four), self.1));
        fold(bits ^ pack(fours.remainder()) ^ self.1, self.0 ^ MIX)
    }

    #[inline]
    fn short(self, head: u64, length: usize) -> Hash {
        Hash { bits: fold(head ^ self.0, self.1 ^ length as u64), head }
    }

    #[inline]
    fn long(self, bytes: &[u8], head: u64) -> Hash {
        let mut bits = fold(head ^ self.0, self.1 ^ bytes.len() as u64);
        let mut at = 8;
        while at + 8 < bytes.len() {
            bits = fold(bits ^ read_u64(bytes, at), self.1);
            at += 8;
        }
        Hash { bits: fold(bits ^ read_u64(bytes, bytes.len() - 8), self.0 ^ MIX), head }
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
