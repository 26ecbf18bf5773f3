//! Counts distinct values: exactly while there are few, within two percent when there are many.
//!
//! In: values. Out: how many different ones. Limits: [`EXACT_MAX`] hashes, then 16 KiB of registers (Flajolet,
//! Fusy, Gandouet, Meunier: HyperLogLog, 2007; the error is 0.8 percent at one standard deviation). While registers are
//! unused the plain mean counts far too many, so it is corrected (Ertl: New cardinality estimation algorithms, 2017).

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hasher},
};

/// Values that are counted exactly.
const EXACT_MAX: usize = 10_000;
/// Bits of a hash that choose the register.
const BITS: u32 = 14;
/// Corrects the mean over registers: 1 / (2 ln 2).
const ALPHA: f64 = 0.5 / std::f64::consts::LN_2;

#[derive(Clone, Debug)]
pub(in crate::pipe) enum Distinct {
    Exact(HashSet<u64>),
    Estimate(Vec<u8>),
}

impl Default for Distinct {
    fn default() -> Distinct {
        Distinct::Exact(HashSet::new())
    }
}

impl Distinct {
    pub(in crate::pipe) fn add(&mut self, value: &[u8]) {
        let mut hasher = DefaultHasher::new();
        hasher.write(value);
        self.add_hash(hasher.finish());
    }

    fn add_hash(&mut self, hash: u64) {
        match self {
            Distinct::Exact(known) => {
                known.insert(hash);
                if known.len() > EXACT_MAX {
                    let mut registers = vec![0; 1 << BITS];
                    known.iter().for_each(|hash| note(&mut registers, *hash));
                    *self = Distinct::Estimate(registers);
                }
            }
            Distinct::Estimate(registers) => note(registers, hash),
        }
    }

    pub(in crate::pipe) fn merge(&mut self, other: Distinct) {
        match (&mut *self, other) {
            (_, Distinct::Exact(hashes)) => hashes.into_iter().for_each(|hash| self.add_hash(hash)),
            (Distinct::Estimate(registers), Distinct::Estimate(others)) => {
                registers.iter_mut().zip(others).for_each(|(own, other)| *own = other.max(*own));
            }
            (Distinct::Exact(hashes), Distinct::Estimate(mut registers)) => {
                hashes.iter().for_each(|hash| note(&mut registers, *hash));
                *self = Distinct::Estimate(registers);
            }
        }
    }

    /// Bytes of its hashes or registers.
    pub(in crate::pipe) fn heap_bytes(&self) -> usize {
        match self {
            // A hash and a control byte per slot.
            Distinct::Exact(known) => known.capacity() * (size_of::<u64>() + 1),
            Distinct::Estimate(registers) => registers.len(),
        }
    }

    pub(in crate::pipe) fn count(&self) -> u64 {
        match self {
            Distinct::Exact(known) => known.len() as u64,
            Distinct::Estimate(registers) => {
                let size = registers.len() as f64;
                let used = registers.iter().filter(|rank| **rank > 0);
                let unused = registers.iter().filter(|rank| **rank == 0).count() as f64;
                let sum: f64 = used.map(|rank| 2f64.powi(-i32::from(*rank))).sum();
                (ALPHA * size * size / (sum + size * of_unused(unused / size))).round() as u64
            }
        }
    }
}

/// Returns what the registers without a value add to the sum, from their share: it has no end when all are unused.
fn of_unused(share: f64) -> f64 {
    let (mut power, mut factor, mut sum) = (share, 1.0, share);
    while power > 0.0 && sum.is_finite() {
        power *= power;
        sum += power * factor;
        factor *= 2.0;
    }
    sum
}

fn note(registers: &mut [u8], hash: u64) {
    let rank = ((hash << BITS).leading_zeros().min(64 - BITS) + 1) as u8;
    let register = &mut registers[(hash >> (64 - BITS)) as usize];
    *register = rank.max(*register);
}

#[cfg(test)]
mod tests;
