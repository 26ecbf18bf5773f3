//! Percentiles in little memory: counts of logarithmic buckets.
//!
//! In: numbers. Out: a percentile within one percent of the value at that rank (Masson, Rim, Lee: DDSketch, 2019).
//! Limits: two numbers in a bucket differ by at most two percent, so that all doubles need some 70,000 buckets; the
//! values in logs need a few hundred.

use std::collections::BTreeMap;

/// Quotient of the bounds of a bucket: 0.9 percent around its middle.
const GAMMA: f64 = 1.009 / 0.991;
/// Values nearer to zero than this count as zero.
const TINY: f64 = 1e-9;

#[derive(Clone, Default, Debug)]
pub(in crate::pipe) struct Sketch {
    above: BTreeMap<i32, u64>,
    below: BTreeMap<i32, u64>,
    zeros: u64,
    count: u64,
    /// The smallest and the largest; none before the first.
    ends: Option<(f64, f64)>,
}

impl Sketch {
    pub(in crate::pipe) fn add(&mut self, number: f64, times: u64) {
        self.count += times;
        self.widen(number, number);
        let bucket = (number.abs().ln() / GAMMA.ln()).ceil() as i32;
        match number {
            n if n.abs() < TINY => self.zeros += times,
            n if n > 0.0 => *self.above.entry(bucket).or_default() += times,
            _ => *self.below.entry(bucket).or_default() += times,
        }
    }

    pub(in crate::pipe) fn merge(&mut self, other: &Sketch) {
        other.above.iter().for_each(|(bucket, count)| *self.above.entry(*bucket).or_default() += count);
        other.below.iter().for_each(|(bucket, count)| *self.below.entry(*bucket).or_default() += count);
        self.zeros += other.zeros;
        self.count += other.count;
        if let Some((least, most)) = other.ends {
            self.widen(least, most);
        }
    }

    fn widen(&mut self, least: f64, most: f64) {
        let known = self.ends.unwrap_or((least, most));
        self.ends = Some((known.0.min(least), known.1.max(most)));
    }

    /// Returns the bytes of its buckets.
    pub(in crate::pipe) fn heap_bytes(&self) -> usize {
        /// Size of a bucket in a tree whose nodes are two thirds full.
        const BUCKET_BYTES: usize = 24;
        (self.above.len() + self.below.len()) * BUCKET_BYTES
    }

    /// Returns the percentile by nearest rank; `rank` is in percent.
    pub(in crate::pipe) fn percentile(&self, rank: u8) -> Option<f64> {
        let (least, most) = self.ends?;
        let place = (u128::from(self.count) * u128::from(rank)).div_ceil(100) as u64;
        let mut missing = place.max(1) - 1;
        let middle = |bucket: i32| 2.0 * GAMMA.powi(bucket) / (GAMMA + 1.0);
        let below = self.below.iter().rev().map(|(bucket, count)| (-middle(*bucket), *count));
        let above = self.above.iter().map(|(bucket, count)| (middle(*bucket), *count));
        for (value, count) in below.chain([(0.0, self.zeros)]).chain(above) {
            if missing < count {
                return Some(value.clamp(least, most));
            }
            missing -= count;
        }
        None
    }
}

#[cfg(test)]
mod tests;
