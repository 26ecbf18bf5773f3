//! Combinations of the values of several columns, with the number of messages of each.
//!
//! In: the value ids of columns, message by message. Out: the combination of each message, and their counts.
//! Holds: the same. Limits: the memory of the search.

use crate::memory::MemoryPermit;
use std::collections::HashMap;

/// Most combinations that are possible for a table of all of them; more are found by hashing.
const TABLE_MAX: usize = 1 << 16;
/// Memory of a combination: its ids, its count, and its entry in a table that was just enlarged.
const COMBINATION_BYTES: usize = 64;
/// Messages between two requests for memory.
const STEP: usize = 1 << 14;

/// The combinations that messages have. Messages without a value in one of the columns have none.
pub(super) struct Combinations {
    /// The combination of each message, counted from 1; 0 for none.
    pub(super) of: Vec<u32>,
    /// Number of messages of each combination.
    pub(super) counts: Vec<u64>,
    /// For each column after the first, what each combination up to it is made of: that of the columns before, and
    /// the id of its own value.
    pairs: Vec<Vec<(u32, u32)>>,
}

/// Finds the number of a pair of ids.
enum Known {
    /// By the first id times the width plus the second.
    Table(Vec<u32>, usize),
    Hashed(HashMap<(u32, u32), u32>),
}

impl Combinations {
    /// Combines columns of `count` messages; without a column, all messages are one combination. None when there is no
    /// memory.
    pub(super) fn of(columns: &[&[u32]], count: usize, memory: &mut MemoryPermit) -> Option<Combinations> {
        // All messages are of combination 1 before the first column.
        memory.grow_at_once(count * size_of::<u32>()).ok()?;
        let mut made = Combinations { of: vec![1; count], counts: vec![count as u64], pairs: Vec::new() };
        if columns.is_empty() && count == 0 {
            made.counts.clear();
        }
        for column in columns {
            made.add(column, memory)?;
        }
        Some(made)
    }

    /// Combines one more column.
    fn add(&mut self, column: &[u32], memory: &mut MemoryPermit) -> Option<()> {
        let largest = column.iter().copied().max().unwrap_or_default() as usize;
        let mut known = Known::new(self.counts.len(), largest);
        let mut pairs = Vec::new();
        let mut counts: Vec<u64> = Vec::new();
        // Successive messages often have the same values.
        let mut last = ((0, 0), 0);
        for (of, ids) in self.of.chunks_mut(STEP).zip(column.chunks(STEP)) {
            let before = pairs.len();
            for (of, id) in of.iter_mut().zip(ids) {
                let pair = (*of, *id);
                if pair.0 == 0 || pair.1 == 0 {
                    *of = 0;
                    continue;
                }
                if last.0 != pair {
                    let number = known.number(pair);
                    if *number == 0 {
                        pairs.push(pair);
                        counts.push(0);
                        *number = pairs.len() as u32;
                    }
                    last = (pair, *number);
                }
                *of = last.1;
                counts[last.1 as usize - 1] += 1;
            }
            memory.grow_at_once((pairs.len() - before) * COMBINATION_BYTES).ok()?;
        }
        self.counts = counts;
        self.pairs.push(pairs);
        Some(())
    }

    /// Returns the ids of the values of combination `index`, counted from 0, in the order of the columns.
    pub(super) fn ids(&self, index: usize) -> Vec<u32> {
        let mut number = index as u32 + 1;
        let mut ids = vec![0; self.pairs.len()];
        for (id, pairs) in ids.iter_mut().zip(&self.pairs).rev() {
            (number, *id) = pairs[number as usize - 1];
        }
        ids
    }
}

impl Known {
    fn new(combinations: usize, largest: usize) -> Known {
        let width = largest + 1;
        match combinations.saturating_add(1).saturating_mul(width) {
            cells if cells <= TABLE_MAX => Known::Table(vec![0; cells], width),
            _ => Known::Hashed(HashMap::new()),
        }
    }

    /// The number of a pair; 0 while it has none.
    fn number(&mut self, pair: (u32, u32)) -> &mut u32 {
        match self {
            Known::Table(cells, width) => &mut cells[pair.0 as usize * *width + pair.1 as usize],
            Known::Hashed(known) => known.entry(pair).or_default(),
        }
    }
}
