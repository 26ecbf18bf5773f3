//! Sequences of frequent tokens, numbered.
//!
//! In: sequences. Out: their numbers; the sequences again. Holds: each distinct sequence once.
//! Limits: one sequence a message at worst.

use crate::tokens::Seed;
use std::collections::HashMap;

/// Distinct sequences of token numbers.
pub(crate) struct Templates {
    seed: Seed,
    /// By hash; a sequence whose hash is taken goes on to the next one.
    known: HashMap<u64, u32, Already>,
    sequences: Vec<u16>,
    ends: Vec<u32>,
}

/// The keys are hashes already.
#[derive(Default, Clone)]
pub(crate) struct Already(u64);

impl std::hash::Hasher for Already {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = self.0.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl std::hash::BuildHasher for Already {
    type Hasher = Already;

    fn build_hasher(&self) -> Already {
        Already::default()
    }
}

impl Templates {
    /// Stands for one or more tokens that are not frequent.
    pub(crate) const GAP: u16 = u16::MAX;

    pub(crate) fn new() -> Templates {
        Templates {
            seed: Seed::of_process(),
            known: HashMap::with_hasher(Already::default()),
            sequences: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Number of sequences.
    pub(crate) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The tokens of a template.
    pub(crate) fn sequence(&self, number: u32) -> &[u16] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before as usize] as usize);
        &self.sequences[start..self.ends[number as usize] as usize]
    }

    /// The number of a sequence, given now if it has none.
    pub(crate) fn intern(&mut self, sequence: &[u16]) -> u32 {
        let mut hash = self.seed.hash_numbers(sequence);
        while let Some(&number) = self.known.get(&hash) {
            if self.sequence(number) == sequence {
                return number;
            }
            hash = hash.wrapping_add(1);
        }
        let number = self.ends.len() as u32;
        self.known.insert(hash, number);
        self.sequences.extend_from_slice(sequence);
        self.ends.push(self.sequences.len() as u32);
        number
    }
}
