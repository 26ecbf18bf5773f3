//! Collects the neighbours of terms that many messages have.
//!
//! In: the index of a builder, its terms in order. Out: the section of neighbours. Holds: each pair of neighbours
//! about once: those seen recently are skipped. Limits: none.

use crate::{
    active::Index,
    memory::{filled, recycle},
    terms::adjacency::{Adjacency, DOCUMENTS_MIN, Encoder},
};

/// Number of remembered pairs of neighbours, as a power of two: 512 KiB.
const SEEN_BITS: u32 = 16;
/// A term whose neighbours are not stored.
const RARE: u32 = u32::MAX;

/// Adjacency of terms.
struct AdjacencyTable {
    /// A hash table of a term's pairs of neighbours; each slot has the last one that was put there. Never 0, see
    /// [`AdjacencyTable::add`].
    seen: Vec<u64>,
    /// By the terms' numbers among those that are stored.
    list: Vec<(u32, Adjacency)>,
    /// The number of each term, or [`RARE`].
    rank_of: Vec<u32>,
}

impl AdjacencyTable {
    #[inline]
    fn add(&mut self, term: u32, adjacency: Adjacency) {
        // Never 0: there is no term with the highest number.
        let key = u64::from(!term) << 32 | u64::from(adjacency.bits());
        let slot = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - SEEN_BITS);
        let seen = &mut self.seen[slot as usize];
        if *seen == key {
            return;
        }
        let rank = self.rank_of[term as usize];
        if rank != RARE {
            *seen = key;
            self.list.push((rank, adjacency));
        }
    }
}

/// The section; `order` are all terms in order, `counts` how many documents have each.
pub(super) fn encode(index: &Index, order: &[u32], counts: &[u32]) -> Vec<u8> {
    let mut rank_of = filled(RARE, counts.len());
    let mut terms = Vec::new();
    for (ordinal, id) in (0u32..).zip(order) {
        if counts.get(*id as usize).is_some_and(|count| *count >= DOCUMENTS_MIN) {
            rank_of[*id as usize] = terms.len() as u32;
            terms.push(ordinal);
        }
    }
    let mut found = AdjacencyTable { seen: vec![0; 1 << SEEN_BITS], list: Vec::new(), rank_of };
    index.flat.iter().zip(&index.adjacency).for_each(|(term, adjacency)| found.add(*term, *adjacency));
    index.again.iter().for_each(|again| found.add(again.term, again.adjacency));
    let AdjacencyTable { mut list, rank_of, .. } = found;
    recycle(rank_of);
    list.sort_unstable();
    list.dedup();
    let mut encoder = Encoder::new(index.templates.layouts());
    let mut of_term = Vec::new();
    for found in list.chunk_by(|(a, _), (b, _)| a == b) {
        of_term.clear();
        of_term.extend(found.iter().map(|(_, adjacency)| *adjacency));
        encoder.push(terms[found[0].0 as usize], &of_term);
    }
    encoder.finish()
}
