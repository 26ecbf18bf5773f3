//! The TSNs that have arrived.
//!
//! In: TSNs. Out: new or not; the blocks of a SACK. Holds: runs above the cumulative TSN.
//! Limits: a TSN that is further ahead than [`AHEAD_MAX`], or that would begin another run above [`RUNS_MAX`], does not count
//! as arrived.

use crate::codec::serial::{self, unwrap, wrap};
use crate::codec::{GapBlock, Sack};
use std::collections::BTreeMap;

/// TSNs are noted up to this far ahead: a block names them in 16 bits, and numbers of streams must not come round.
const AHEAD_MAX: u64 = 16_384;
/// Most runs above the cumulative TSN.
const RUNS_MAX: usize = 2_048;
/// Most doubles in a SACK.
const DUPLICATES_MAX: usize = 32;

/// Novelty of a TSN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Novelty {
    New,
    Duplicate,
    /// It does not count as arrived.
    TooFar,
}

/// The TSNs that have arrived. Inside, they have 64 bits and do not come round.
pub(super) struct Arrivals {
    cumulative: u64,
    /// First TSN of a run to its last.
    runs: BTreeMap<u64, u64>,
    duplicates: Vec<u32>,
}

impl Arrivals {
    pub(super) fn new(first: u32) -> Arrivals {
        let cumulative = serial::first(first) - 1;
        Arrivals { cumulative, runs: BTreeMap::new(), duplicates: Vec::new() }
    }

    /// Returns the TSN of 64 bits that is nearest to the cumulative one.
    pub(super) fn unwrap(&self, tsn: u32) -> u64 {
        unwrap(self.cumulative, tsn)
    }

    pub(super) fn cumulative(&self) -> u64 {
        self.cumulative
    }

    pub(super) fn cumulative_tsn(&self) -> u32 {
        wrap(self.cumulative)
    }

    pub(super) fn highest(&self) -> u64 {
        self.runs.last_key_value().map_or(self.cumulative, |(_, last)| *last)
    }

    pub(super) fn has_gaps(&self) -> bool {
        !self.runs.is_empty()
    }

    pub(super) fn is_new(&self, tsn: u64) -> bool {
        let before = self.runs.range(..=tsn).next_back();
        tsn > self.cumulative && before.is_none_or(|(_, last)| *last < tsn)
    }

    /// Notes that a TSN has arrived.
    pub(super) fn note(&mut self, tsn: u64) -> Novelty {
        if !self.is_new(tsn) {
            if self.duplicates.len() < DUPLICATES_MAX {
                self.duplicates.push(wrap(tsn));
            }
            return Novelty::Duplicate;
        }
        if tsn > self.cumulative + AHEAD_MAX {
            return Novelty::TooFar;
        }
        if tsn == self.cumulative + 1 {
            self.cumulative = tsn;
            self.absorb();
            return Novelty::New;
        }
        let before = self.runs.range(..tsn).next_back().map(|(first, last)| (*first, *last));
        let joined = before.filter(|(_, last)| last + 1 == tsn).map(|(first, _)| first);
        let after = self.runs.remove(&(tsn + 1));
        if joined.is_none() && after.is_none() && self.runs.len() >= RUNS_MAX {
            return Novelty::TooFar;
        }
        self.runs.insert(joined.unwrap_or(tsn), after.unwrap_or(tsn));
        Novelty::New
    }

    /// Moves the cumulative TSN; returns whether it was behind.
    pub(super) fn advance(&mut self, cumulative: u64) -> bool {
        if cumulative <= self.cumulative || cumulative > self.cumulative + AHEAD_MAX {
            return false;
        }
        self.cumulative = cumulative;
        while let Some((first, last)) = self.runs.first_key_value().map(|(first, last)| (*first, *last)) {
            if first > cumulative {
                break;
            }
            self.runs.remove(&first);
            self.cumulative = self.cumulative.max(last);
        }
        self.absorb();
        true
    }

    fn absorb(&mut self) {
        while let Some(last) = self.runs.remove(&(self.cumulative + 1)) {
            self.cumulative = last;
        }
    }

    /// Makes a SACK with at most so many blocks and doubles together.
    pub(super) fn sack(&mut self, window: u32, entries_max: usize) -> Sack {
        let offset = |tsn: u64| u16::try_from(tsn - self.cumulative).unwrap_or(u16::MAX);
        let gaps = self.runs.iter().take(entries_max);
        let gaps: Vec<GapBlock> =
            gaps.map(|(first, last)| GapBlock { start: offset(*first), end: offset(*last) }).collect();
        let mut duplicates = std::mem::take(&mut self.duplicates);
        duplicates.truncate(entries_max - gaps.len());
        Sack { cumulative: wrap(self.cumulative), window, gaps, duplicates }
    }
}
